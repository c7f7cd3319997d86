/**
 * The curl lines of the reference do what they say: run in a shell, without a browser. Needs `npm run build` before.
 * @module-tag long
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as v from "valibot";
import { expect, it } from "vitest";
import document from "../../src/openapi/openapi.json";
import { curlText, ORIGIN } from "../../src/openapi/reference/calls.ts";
import { type Entry, entriesOf, readDocument } from "../../src/openapi/reference/document.ts";
import { ADMIN_KEY, TestService } from "./service.ts";

const run = promisify(execFile);
const service = TestService.ofFile("keys");

/** Longer than a shell takes. */
const RUN_MAX_MS = 20_000;
const Answer = v.object({ token: v.optional(v.string()), id: v.optional(v.string()) });

/** The namespace comes first; what ends something comes last. */
function turn({ operationId }: Entry): number {
  if (operationId === "putNamespace") return 0;
  return ["retireNamespace", "revokeKey"].includes(operationId) ? 2 : 1;
}

/** Runs a line as it is; the key comes from the environment. */
async function shell(line: string): Promise<readonly [status: string, body: string]> {
  const options = {
    env: { PATH: process.env.PATH, EDGEFLAKE_KEY: ADMIN_KEY },
    timeout: RUN_MAX_MS,
  };
  const local = line.replace("curl", "curl -s -w '%{http_code}' --noproxy '*'");
  const { stdout } = await run("bash", ["-c", local], options);
  return [stdout.slice(-3), stdout.slice(0, -3)];
}

it("each succeeds", async () => {
  await service.ask("/v1/namespaces/invoices", "PUT", { kind: "segment" });
  const entries = entriesOf(readDocument(document)).toSorted((a, b) => turn(a) - turn(b));
  /** Values of the examples' service, and those of this service. */
  const own = new Map([[ORIGIN, service.url]]);
  for (const entry of entries) {
    const { operationId, responses } = entry;
    let line = curlText(entry);
    for (const [example, value] of own) line = line.replaceAll(example, value);
    const [status, body] = await shell(line);
    expect([operationId, status]).toEqual([operationId, expect.stringMatching(/^2/)]);
    const example = Object.values(responses[status]?.content ?? {})[0]?.example;
    if (!["acquireLease", "createKey"].includes(operationId)) continue;
    const [is, was] = [v.parse(Answer, JSON.parse(body)), v.parse(Answer, example)];
    own.set(`${was.token ?? was.id}`, `${is.token ?? is.id}`);
  }
});
