/** Stands between a client and the service, and does to each request what the test has planned for it. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The fate of one request; with `pass` it reaches the service. */
export type Fault =
  | "pass"
  /** The connection is dropped before any answer. */
  | "drop"
  /** The service's answer breaks off in the middle. */
  | "cut"
  /** No answer ever. */
  | "hang"
  | { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> };

export interface FaultyProxy {
  readonly url: string;
  /** The paths asked for, faulty ones too. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** Does the planned faults one after another, then passes everything. */
export async function faultyProxy(service: string, plan: readonly Fault[]): Promise<FaultyProxy> {
  const left = [...plan];
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url}`);
    const fault = left.shift() ?? "pass";
    if (fault === "hang") return;
    if (fault === "drop") request.socket.destroy();
    else if (typeof fault === "object") refuse(response, fault);
    else void pass(service, `${request.url}`, request.headers.authorization, response, fault);
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
  return { url: `http://127.0.0.1:${port}`, asked, close };
}

function refuse(response: ServerResponse, fault: Exclude<Fault, string>): void {
  response.writeHead(fault.status, {
    "content-type": "application/problem+json",
    ...fault.headers,
  });
  response.end(typeof fault.body === "string" ? fault.body : JSON.stringify(fault.body ?? {}));
}

async function pass(
  service: string,
  path: string,
  authorization: string | undefined,
  response: ServerResponse,
  fault: "pass" | "cut",
): Promise<void> {
  const answer = await fetch(service + path, {
    ...(authorization && { headers: { authorization } }),
  });
  const text = await answer.text();
  response.writeHead(answer.status, { "content-length": `${text.length}` });
  if (fault === "pass") response.end(text);
  else response.write(text.slice(0, text.length / 2), () => response.destroy());
}
