/** Load from several connections, each with one request after another, until it is stopped. */
import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "../support/random.ts";
import type { Kind } from "./kinds.ts";
import type { Ledger, Outcome } from "./ledger.ts";

/** The pause of a connection after an error, in ms: without it, it would only repeat errors. */
const REST_MS = 5;
/** Deadline of a load's results, in ms: generous, for a busy machine. */
export const WAIT_MAX_MS = 60_000;

export interface Target {
  readonly url: string;
  readonly life: number;
}

/** The results of one life under load. */
export interface LoadTally {
  /** Answers with IDs, by space. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** Refusals by code. */
  readonly refused: ReadonlyMap<string, number>;
  /** Requests that have no answer yet. */
  readonly underWay: number;
}

export class Load {
  readonly #ledger: Ledger;
  readonly #target: Target;
  readonly #acknowledged = new Map<string, number>();
  readonly #refused = new Map<string, number>();
  readonly #running: Promise<void>;
  #underWay = 0;
  #stops = false;
  #failure: unknown;

  constructor(
    ledger: Ledger,
    target: Target,
    random: Random,
    { kinds, connections }: { readonly kinds: readonly Kind[]; readonly connections: number },
  ) {
    this.#ledger = ledger;
    this.#target = target;
    const loops = Array.from({ length: connections }, () => this.#loop(kinds, random));
    this.#running = Promise.all(loops).then(
      () => undefined,
      (error: unknown) => {
        this.#failure = error;
      },
    );
  }

  get tally(): LoadTally {
    return { acknowledged: this.#acknowledged, refused: this.#refused, underWay: this.#underWay };
  }

  /** Ends when each connection has got or lost its last response. */
  async stop(): Promise<LoadTally> {
    this.#stops = true;
    await this.#running;
    if (this.#failure) throw this.#failure;
    return this.tally;
  }

  /** Waits for this result of the load; `what` describes it. */
  async until(what: string, isSo: (tally: LoadTally) => boolean): Promise<void> {
    const untilMs = performance.now() + WAIT_MAX_MS;
    while (!isSo(this.tally)) {
      if (this.#failure) throw this.#failure;
      if (performance.now() > untilMs) {
        const brought = [...this.#acknowledged, ...this.#refused].join(" ");
        throw new Error(`not within ${WAIT_MAX_MS} ms: ${what}; it brought ${brought}`);
      }
      await pause(5);
    }
  }

  /** Waits until each of these spaces was served so many times more. */
  async serves(spaces: readonly string[], times = 1): Promise<void> {
    const countOf = (space: string): number => this.#acknowledged.get(space) ?? 0;
    const wanted = new Map(spaces.map((space) => [space, countOf(space) + times]));
    await this.until(`${times} answers of each of ${spaces.join(", ")}`, () =>
      [...wanted].every(([space, count]) => countOf(space) >= count),
    );
  }

  /** Waits for so many more responses with IDs, of any namespace. */
  async acknowledges(times: number): Promise<void> {
    const wanted = sum(this.#acknowledged) + times;
    await this.until(`${times} answers`, () => sum(this.#acknowledged) >= wanted);
  }

  /** Waits for so many more errors with that code. */
  async isRefused(code: string, times: number): Promise<void> {
    const wanted = (this.#refused.get(code) ?? 0) + times;
    const isSo = (): boolean => (this.#refused.get(code) ?? 0) >= wanted;
    await this.until(`${times} refusals with ${code}`, isSo);
  }

  async #loop(kinds: readonly Kind[], random: Random): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { url, life } = this.#target;
    try {
      while (!this.#stops) {
        this.#underWay += 1;
        const outcome = await this.#ledger.ask(url, random.pick(kinds), life, agent);
        this.#underWay -= 1;
        this.#count(outcome);
        if (outcome.kind !== "acknowledged") await pause(REST_MS);
      }
    } finally {
      agent.destroy();
    }
  }

  #count(outcome: Outcome): void {
    if (outcome.kind === "acknowledged") add(this.#acknowledged, outcome.space);
    else if (outcome.kind === "refused") add(this.#refused, outcome.code);
  }
}

function sum(counts: ReadonlyMap<string, number>): number {
  return counts.values().reduce((total, count) => total + count, 0);
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
