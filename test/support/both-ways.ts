/** Requests sent to the whole Worker, short cut and all, and to its router alone. */
import { expect, vi } from "vitest";
import { app } from "../../src/http/app.ts";
import { worker } from "../../src/http/worker.ts";
import { type Sent, type SentAnswer, send } from "./send.ts";

/** Headers that differ from answer to answer. */
const OWN_HEADERS = ["x-request-id", "edgeflake-shard"];

/** What of an answer has to be the same on both ways. */
export function comparable({ status, headers, text }: SentAnswer) {
  const entries = [...headers].filter(([name]) => !OWN_HEADERS.includes(name));
  return {
    status,
    names: [...headers.keys()].sort(),
    values: Object.fromEntries(entries),
    text: text
      .replace(/(?<=[[,]"?)[0-9A-Za-z]+(?="?[,\]])/g, "ID")
      .replace(/^[0-9A-Za-z]+\n/gm, "ID\n")
      .replace(/(?<="first":")\d+/, "ID")
      .replace(/(?<="shard":)\d+|(?<="Shard )\d+/, "SHARD")
      .replace(/(?<="requestId":")[^"]+/, ""),
  };
}

/** Whether the router was asked for that answer. */
export async function sendShort(
  path: string,
  sent?: Sent,
): Promise<SentAnswer & { short: boolean }> {
  const router = vi.spyOn(app, "fetch");
  const answer = await send(worker, path, sent);
  const short = router.mock.calls.length === 0;
  router.mockRestore();
  return { ...answer, short };
}

/** The answer of both ways, which must be alike. */
export async function sendBoth(path: string, sent?: Sent) {
  const answer = await sendShort(path, sent);
  const routed = await send(app, path, sent);
  expect(comparable(answer)).toEqual(comparable(routed));
  return { ...answer, routed };
}

/** Without a limiter, as in plain workerd: an answer from memory waits for nothing then. */
export function unlimited(bindings: Env): Env {
  return Object.assign({ ...bindings }, { LIMITER: undefined });
}
