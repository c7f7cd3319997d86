/** Random requests by every kind of caller: the API document describes every response. */

import * as v from "valibot";
import { expect, it, vi } from "vitest";
import { worker } from "../../../src/http/worker.ts";
import { ADMIN_KEY, CLOSED, put } from "../../support/admin.ts";
import { makeCallers } from "../../support/callers.ts";
import { clock, useClock } from "../../support/clock.ts";
import { type FuzzedRequest, fuzzedRequest, type Known } from "../../support/document-fuzzer.ts";
import { Random } from "../../support/random.ts";
import { type SentAnswer, send } from "../../support/send.ts";

useClock("waits");

/** Faults shown of one run. */
const FAULTS_MAX = 5;
const FAULT_CHARS_MAX = 1500;
/** Longest time between two requests, in ms. */
const PAUSE_MAX_MS = 50;
/** 20,000 requests take a minute or two on a busy core, in ms. */
const LONG_MAX_MS = 600_000;
/** Values of a kind that later requests use again: the last ones. */
const REMEMBERED_MAX = 20;
/** After so many requests they turn to other namespaces. */
const TURN = 250;

const BUILT_IN = ["default", "js53", "node", "twitter", "leaf", "segment"];
const Seen = v.object({
  id: v.optional(v.string()),
  ids: v.optional(v.array(v.union([v.string(), v.number()])), []),
  worker: v.optional(v.number()),
  token: v.optional(v.string()),
});

/** Values from responses, by the name of the parameter that accepts them. */
class Memory {
  readonly values: Record<string, string[]> = {
    namespace: [],
    key: [],
    bizType: [],
    batchSize: ["1", "5", "0", "x"],
    id: ["0", "1", "9223372036854775807"],
    snowflakeId: ["1169786042799259000", "-1"],
    shard: ["0", "1", "7", "8"],
    worker: ["511", "512", "1023"],
    from: ["2026-01-01", "1767225600000", "2026-06-01T00:00:00+02:00"],
    until: ["2026-06-02", "1800000000000", "253402300800000"],
    count: ["1", "2", "100", "10000", "10001"],
    token: [],
    "Idempotency-Key": ["a", "b", "c"],
    "edgeflake-lease-token": ["none"],
  };

  #lease: Record<string, string[]> = {};

  /** Now and then all of a lease that is held. */
  known(random: Random): Known {
    return random.isOneOf(8) ? { ...this.values, ...this.#lease } : this.values;
  }

  /** From now on requests also name these namespaces. */
  turnTo(names: readonly string[]): void {
    for (const list of ["namespace", "key", "bizType"]) {
      this.values[list] = [...BUILT_IN, ...names, ...names];
    }
  }

  see({ operationId, path }: FuzzedRequest, { status, text }: SentAnswer): void {
    if (status >= 300 || !/^\{/.test(text)) return;
    const seen = v.safeParse(Seen, JSON.parse(text));
    if (!seen.success) return;
    const { id, ids, worker: leased, token } = seen.output;
    if (operationId === "createKey" && id) this.#keep("id", id);
    for (const one of ids.slice(0, 1)) this.#keep("id", `${one}`);
    if (leased === undefined || token === undefined) return;
    const [, , , namespace = ""] = path.split("/");
    this.#lease = {
      namespace: [namespace],
      worker: [`${leased}`],
      "edgeflake-lease-token": [token],
    };
  }

  #keep(name: string, value: string): void {
    const values = this.values[name];
    values?.push(value);
    if (values && values.length > REMEMBERED_MAX) values.shift();
  }
}

/** New namespaces, as those before may be retired by now, and two names that are free. */
async function makeNamespaces(serial: number): Promise<string[]> {
  const made: Record<string, unknown> = {
    [`orders-${serial}`]: { kind: "snowflake", shards: 3, policy: { maxBorrowMs: 5000 } },
    [`short-${serial}`]: { kind: "snowflake", preset: "js53" },
    [`numbers-${serial}`]: { kind: "segment", max: 5_000_000, step: 10 },
  };
  for (const [name, body] of Object.entries(made)) await put(name, body);
  return [...Object.keys(made), `free-${serial}`, `none-${serial}`];
}

function codeOf({ text }: SentAnswer): unknown {
  return text.startsWith("{") ? JSON.parse(text).code : undefined;
}

/** Lines of the log about something that was thrown. */
function thrownIn(lines: readonly unknown[]): string[] {
  return lines.map(String).filter((line) => !line.startsWith("{") || line.includes('"error":'));
}

async function expectDocumented(requests: number, seed: number): Promise<void> {
  const random = new Random(seed);
  const logged: unknown[] = [];
  for (const level of ["warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation((line: unknown) => void logged.push(line));
  }
  const callers = Object.entries(await makeCallers());
  const memory = new Memory();
  const faults: string[] = [];
  const statuses = new Set<number>();
  for (let at = 0; at < requests && faults.length < FAULTS_MAX; at += 1) {
    if (at % TURN === 0) memory.turnTo(await makeNamespaces(at));
    // A caller with all rights reaches the most code.
    const [caller, key] = random.isOneOf(2) ? ["administrator", ADMIN_KEY] : random.pick(callers);
    memory.values.token = [key ?? "none"];
    const asked = fuzzedRequest(random, memory.known(random));
    const headers = { ...asked.headers, ...(key && { authorization: `Bearer ${key}` }) };
    logged.length = 0;
    try {
      const answer = await send(worker, asked.path, { ...asked, headers, bindings: CLOSED });
      memory.see(asked, answer);
      statuses.add(answer.status);
      if (codeOf(answer) === "internal") throw new Error(answer.text);
      for (const line of thrownIn(logged)) throw new Error(line);
    } catch (error) {
      const fault = `seed ${seed}, ${at}, by ${caller}: ${JSON.stringify(asked)}\n${error}`;
      faults.push(fault.slice(0, FAULT_CHARS_MAX));
    }
    clock.step(random.between(0, PAUSE_MAX_MS));
  }
  expect(faults).toEqual([]);
  // It meets what there is to be met, or it would prove nothing.
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 405]));
}

it("500 requests of the seed 1 are answered as documented", () => expectDocumented(500, 1));

it(
  "20,000 requests of the seed 2 are answered as documented",
  { tags: ["long"], timeout: LONG_MAX_MS },
  () => expectDocumented(20_000, 2),
);
