/**
 * Records all requests to a service in all its lives, and checks the responses:
 *   - no acknowledged ID comes twice (History);
 *   - on a line, an ID is greater than those acknowledged before its request was sent;
 *   - every request gets a success or an error as in the contract.
 */
import type { Agent } from "node:http";
import * as v from "valibot";
import { History } from "./history.ts";
import { ask, type Reply } from "./http.ts";
import type { Acknowledged, Kind } from "./kinds.ts";

export type Outcome =
  | { readonly kind: "acknowledged"; readonly space: string }
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly code: string;
      readonly retryAfterMs: number | undefined;
    }
  /** No response, or a partial one; a hanging request is also a fault. */
  | { readonly kind: "broken" }
  | { readonly kind: "unreachable" };

/** Codes of a healthy service that can't serve now. */
const REFUSALS: readonly string[] = [
  "shard_unavailable",
  "clock_behind",
  "clock_disagreement",
  "no_worker_free",
  "registry_unavailable",
  "shard_overloaded",
  "shard_saturated",
];

/** The number of faults reported, other than repetitions. */
const FAULTS_TOLD_MAX = 10;

const Problem = v.object({
  status: v.number(),
  code: v.string(),
  definite: v.boolean(),
  retryAfterMs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
});

type Answer = Extract<Reply, { kind: "answer" }>;

export class Ledger {
  readonly #ids = new History();
  /** The ms for which worker IDs were leased. */
  readonly #leases = new History();
  /** The highest ID acknowledged on each line. */
  readonly #lines = new Map<string, bigint>();
  readonly #faults: string[] = [];
  readonly #refusals = new Map<string, number>();
  #acknowledgedIds = 0;

  /** Requests IDs and records them. `life` numbers the starts of the service. */
  async ask(url: string, kind: Kind, life: number, agent?: Agent): Promise<Outcome> {
    const { method, path } = kind.input;
    const source = `${method} ${path} in life ${life}`;
    const floor = kind.line === undefined ? undefined : this.#lines.get(kind.line);
    const reply = await ask(url, kind.input, agent);
    if (reply.kind === "hung") this.#faults.push(`${source} hung`);
    if (reply.kind === "unreachable") return reply;
    if (reply.kind !== "answer") return { kind: "broken" };
    if (reply.status >= 300) return this.#refused(reply, source);
    if (!reply.isWhole && !kind.isStream) return { kind: "broken" };
    const got = kind.read(reply.body);
    const history = got.what === "ids" ? this.#ids : this.#leases;
    history.add(got.space, got.step, got.runs, source);
    if (kind.line !== undefined) this.#order(kind.line, floor, got, source);
    // The first part of a stream is in the history too: it has left the service.
    if (!reply.isWhole) return { kind: "broken" };
    if (got.what === "ids") {
      this.#acknowledgedIds += got.runs.reduce((sum, { count }) => sum + count, 0);
    }
    return { kind: "acknowledged", space: got.space };
  }

  /** `floor`: the highest ID of the line when the request was sent. */
  #order(line: string, floor = -1n, { runs, step }: Acknowledged, source: string): void {
    let last = floor;
    for (const { first, count } of runs) {
      if (first <= last) this.#faults.push(`${source}: ${first} comes after ${last}`);
      last = first + BigInt((count - 1) * step);
    }
    if (last > (this.#lines.get(line) ?? -1n)) this.#lines.set(line, last);
  }

  #refused({ status, headers, body, isWhole }: Answer, source: string): Outcome {
    if (!isWhole) return { kind: "broken" };
    const problem = v.safeParse(Problem, parsed(body));
    const code = problem.success ? problem.output.code : "";
    const retryAfterMs = problem.success ? problem.output.retryAfterMs : undefined;
    const isKnown = status === 503 && REFUSALS.includes(code) && retryAfterMs !== undefined;
    const isWellFormed =
      problem.success &&
      problem.output.status === status &&
      headers["content-type"] === "application/problem+json" &&
      headers["retry-after"] === (retryAfterMs && `${Math.ceil(retryAfterMs / 1000)}`);
    if (!isKnown || !isWellFormed) {
      this.#faults.push(`${source}: ${status} ${JSON.stringify(headers)} ${body}`);
    }
    const refusal = `${status} ${code}`;
    this.#refusals.set(refusal, (this.#refusals.get(refusal) ?? 0) + 1);
    return { kind: "refused", status, code, retryAfterMs };
  }

  /** All broken promises: a line each. Empty if all is well. */
  faults(): string[] {
    const others = this.#faults.slice(0, FAULTS_TOLD_MAX);
    return [...this.#ids.faults(), ...this.#leases.faults(), ...others];
  }

  /** IDs and refusals, in one line. */
  summary(): string {
    const refusals = [...this.#refusals].sort().map(([refusal, count]) => `${count} × ${refusal}`);
    return `${this.#acknowledgedIds} IDs, refusals: ${refusals.join(", ") || "none"}`;
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
