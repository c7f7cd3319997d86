/** Lease keepers for tests: a lease desk and a store in memory that fail on command. */
import { EdgeflakeError } from "../../src/client/errors.ts";
import { LeaseDesk } from "../../src/client/lease-desk.ts";
import type { LeaseKeeper } from "../../src/client/lease-keeper.ts";
import type { MinterStore } from "../../src/client/minter-store.ts";
import type { LayoutSpec } from "../../src/core/layout/layout.ts";
import type { Policy } from "../../src/core/layout/policy.ts";
import { PRESETS } from "../../src/core/layout/presets.ts";

export const TTL_MS = 60_000;
export const FIRST_WORKER = 512;
export const SETTINGS = {
  url: "http://here",
  namespace: "orders",
  holder: "pod",
  ttlMs: TTL_MS,
  timeoutMs: 1000,
  retries: 0,
};
const preset = PRESETS.get("default");
if (!preset) throw new Error("no such preset");
const { spec, policy: usualPolicy } = preset;
export const { layout } = preset;

/** A desk whose leases need a renewal at once, and its calls. */
export class TestDesk {
  readonly asked: string[] = [];
  /** The Idempotency-Keys of the acquire requests. */
  readonly keys: string[] = [];
  /** How many of the next responses to acquires are lost. */
  loses = 0;
  /** Replaces a renewal. */
  refuses: (() => Promise<never>) | undefined;
  /** Delays a lease. */
  leases: Promise<void> = Promise.resolve();
  /** Its clock minus everybody else's. */
  aheadMs = 0;
  /** The namespace's. */
  spec: LayoutSpec = spec;
  policy: Policy = usualPolicy;
  /** The worker ID of each Idempotency-Key: the same one gets the same lease. */
  readonly #workers = new Map<string, number>();

  readonly desk = new LeaseDesk(async (path, query, { method, headers }) => {
    this.asked.push(`${method} ${path} ${JSON.stringify(query)}`);
    if (method === "DELETE") return null;
    if (method === "PUT") await this.refuses?.();
    if (method === "POST") {
      const key = new Headers(headers).get("idempotency-key") ?? "";
      this.keys.push(key);
      if (!this.#workers.has(key)) this.#workers.set(key, FIRST_WORKER + this.#workers.size);
      await this.leases;
      this.loses -= 1;
      if (this.loses >= 0) throw new EdgeflakeError("lost", { code: "network_error" });
      return this.#lease(this.#workers.get(key) ?? 0);
    }
    return this.#lease(Number(/\d+$/.exec(path)?.[0]));
  }, "orders");

  #lease(worker: number): object {
    const now = Date.now() + this.aheadMs;
    const times = { notBefore: now - 5, notAfter: now + TTL_MS, renewAfter: now - 1, now };
    const rest = { ttlMs: TTL_MS, ...times, layout: this.spec, policy: this.policy };
    return { worker, token: `of-${worker}`, ...rest };
  }

  count(method: string): number {
    return this.asked.filter((one) => one.startsWith(method)).length;
  }
}

/** When a put fails: before it is carried out, or after. */
type Moment = "before" | "after";

export class TestStore implements MinterStore {
  stored: string | undefined;
  puts = 0;
  /** A put rejects. */
  fails: Moment | undefined;
  /** A put never returns. */
  hangs: Moment | undefined;
  /** How long a put takes to be carried out. */
  takesMs = 0;

  async get(): Promise<string | undefined> {
    return this.stored;
  }

  async put(text: string, expected: string | undefined): Promise<boolean> {
    this.puts += 1;
    if (this.takesMs > 0) await new Promise((resolve) => setTimeout(resolve, this.takesMs));
    await this.#goWrong("before");
    if (this.stored !== expected) return false;
    this.stored = text;
    await this.#goWrong("after");
    return true;
  }

  async #goWrong(moment: Moment): Promise<void> {
    if (this.fails === moment) throw new Error("the disk failed");
    if (this.hangs === moment) await new Promise(() => undefined);
  }
}

/** Runs the upkeep of that moment to its end. */
export async function upkeep(keeper: LeaseKeeper, nowMs: number): Promise<void> {
  keeper.upkeep(nowMs);
  // Desk and store are in memory, so the work takes no time.
  await new Promise((resolve) => setImmediate(resolve));
}

export const refusal = (code: string) => () => Promise.reject(new EdgeflakeError(code, { code }));
