/** Small servers that do not keep their promises. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { compose } from "../../../src/core/layout/id.ts";
import { type Layout, tickAt } from "../../../src/core/layout/layout.ts";
import { PRESETS } from "../../../src/core/layout/presets.ts";

/** Answers the `number`th request for IDs, from 0. */
export type Lie = (number: number, response: ServerResponse, request: IncomingMessage) => void;

export interface LyingServer extends AsyncDisposable {
  readonly url: string;
}

/** Tells the lie to every request for IDs, of any dialect; of namespaces what `describe` says, 404 without it. */
export async function lyingServer(lie: Lie, describe: Lie = notFound): Promise<LyingServer> {
  let [number, described] = [0, 0];
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/v1/namespaces/")) describe(described++, response, request);
    else lie(number++, response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
}

const notFound: Lie = (_number, response) => void response.writeHead(404).end();

/** Answers as the service does. */
export function giveIds(
  response: ServerResponse,
  ids: readonly unknown[],
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ ids }));
}

/** An ID of the preset `default`, of shard 0, whose time is that far from now. */
export function idAt(offsetMs: number, sequence: number): string {
  const layout = defaultLayout();
  const tick = tickAt(layout, Date.now() + offsetMs);
  return `${compose(layout, { tick, shard: 0, lane: 0, sequence: sequence % layout.sequenceCount })}`;
}

function defaultLayout(): Layout {
  const preset = PRESETS.get("default");
  if (!preset) throw new Error("there is no preset default");
  return preset.layout;
}
