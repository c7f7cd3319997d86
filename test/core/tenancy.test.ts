import { describe, expect, it } from "vitest";
import { EdgeflakeError } from "../../src/client/errors.ts";
import { LeaseDesk } from "../../src/client/lease-desk.ts";
import type { MinterStore } from "../../src/client/minter-store.ts";
import { Tenancy } from "../../src/client/tenancy.ts";
import { PRESETS } from "../../src/core/presets.ts";

const TTL_MS = 60_000;
const FIRST_WORKER = 512;
const SETTINGS = {
  url: "http://here",
  namespace: "orders",
  holder: "pod",
  ttlMs: TTL_MS,
  timeoutMs: 1000,
  retries: 0,
};
const { spec, layout, policy } = PRESETS.get("default") ?? {};
if (!spec || !layout || !policy) throw new Error("no such preset");

/** A desk whose leases are due for renewal at once, and what it was asked. */
class TestDesk {
  readonly asked: string[] = [];
  /** What it does instead of renewing. */
  refuses: (() => Promise<never>) | undefined;
  /** What it waits for before it leases. */
  leases: Promise<void> = Promise.resolve();
  #granted = 0;

  readonly desk = new LeaseDesk(async (path, query, { method }) => {
    this.asked.push(`${method} ${path} ${JSON.stringify(query)}`);
    if (method === "DELETE") return null;
    if (method === "PUT") await this.refuses?.();
    if (method === "POST") {
      await this.leases;
      this.#granted += 1;
    }
    const named = /\d+$/.exec(path)?.[0];
    const worker = named === undefined ? FIRST_WORKER + this.#granted - 1 : Number(named);
    const now = Date.now();
    const times = { notBefore: now - 5, notAfter: now + TTL_MS, renewAfter: now - 1, now };
    return { worker, token: `of-${worker}`, ttlMs: TTL_MS, ...times, layout: spec, policy };
  }, "orders");

  count(method: string): number {
    return this.asked.filter((one) => one.startsWith(method)).length;
  }
}

function memoryStore(): MinterStore & { fails: boolean } {
  let stored: string | undefined;
  return {
    fails: false,
    get: async () => stored,
    async put(text, expected) {
      if (this.fails) throw new Error("the disk is full");
      if (stored !== expected) return false;
      stored = text;
      return true;
    },
  };
}

/** Does what is due at that moment, to its end. */
async function upkeep(tenancy: Tenancy, nowMs: number): Promise<void> {
  tenancy.upkeep(nowMs);
  await tenancy.settled();
}

const refusal = (code: string) => () => Promise.reject(new EdgeflakeError(code, { code }));

describe("a tenancy", () => {
  it("T1 ends its line where the lease ends, and moves it up once that is renewed", async () => {
    const desk = new TestDesk();
    const tenancy = new Tenancy(SETTINGS, desk.desk, undefined);
    await tenancy.begin();
    const before = tenancy.line?.end ?? 0;
    expect(before).toBe((tenancy.lease?.notAfterTick ?? 0) * layout.sequenceCount);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await upkeep(tenancy, tenancy.now());
    expect(desk.count("PUT")).toBe(1);
    expect(tenancy.line?.end).toBeGreaterThan(before);
    expect(tenancy.line?.end).toBe((tenancy.lease?.notAfterTick ?? 0) * layout.sequenceCount);
  });

  it("T1 ends its line at the mark in its store, renewed or not", async () => {
    const desk = new TestDesk();
    const store = memoryStore();
    const tenancy = new Tenancy(SETTINGS, desk.desk, store);
    await tenancy.begin();
    const mark = JSON.parse((await store.get()) ?? "").mark;
    expect(tenancy.line?.end).toBe(mark);
    expect(tenancy.endsAtMark).toBe(true);
    await upkeep(tenancy, tenancy.now());
    expect(desk.count("PUT")).toBe(1);
    expect(tenancy.line?.end).toBe(mark);
    // A mark that cannot be written is none.
    store.fails = true;
    await upkeep(tenancy, tenancy.now() + 30_000);
    expect(tenancy.failure).toBeInstanceOf(Error);
    expect(tenancy.line?.end).toBe(mark);
  });

  it("T2 goes on at the mark; the one that had the store drops its lease, and gives nothing back", async () => {
    const desk = new TestDesk();
    const store = memoryStore();
    const one = new Tenancy(SETTINGS, desk.desk, store);
    const other = new Tenancy(SETTINGS, desk.desk, store);
    await one.begin();
    const end = one.line?.end ?? 0;
    await other.begin();
    expect(desk.count("POST")).toBe(1);
    expect(other.lease?.worker).toBe(one.lease?.worker);
    expect(other.line?.unstamped).toBe(end);
    expect(other.line?.end).toBeGreaterThan(end);
    expect(one.line?.end).toBe(end);
    await one.end();
    expect(desk.count("DELETE")).toBe(0);
    await other.end();
    expect(desk.count("DELETE")).toBe(1);
    expect(JSON.parse((await store.get()) ?? "")).not.toHaveProperty("lease");
  });

  it("T2 without the store that another took, it has a lease of its own", async () => {
    const desk = new TestDesk();
    const store = memoryStore();
    const one = new Tenancy(SETTINGS, desk.desk, store);
    await one.begin();
    await new Tenancy(SETTINGS, desk.desk, store).begin();
    await upkeep(one, one.now() + 30_000);
    expect(one.line).toBeUndefined();
    await upkeep(one, one.now());
    expect(one.lease?.worker).toBe(FIRST_WORKER + 1);
    expect(one.endsAtMark).toBe(false);
  });

  it("T3 drops a lost lease before it asks for another", async () => {
    const desk = new TestDesk();
    const tenancy = new Tenancy(SETTINGS, desk.desk, undefined);
    await tenancy.begin();
    const { line } = tenancy;
    desk.refuses = refusal("lease_lost");
    let goOn = (): void => undefined;
    desk.leases = new Promise((resolve) => {
      goOn = resolve;
    });
    const work = upkeep(tenancy, tenancy.now());
    while (desk.count("POST") < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    expect([tenancy.line, tenancy.lease]).toEqual([undefined, undefined]);
    goOn();
    await work;
    expect(tenancy.lease?.worker).toBe(FIRST_WORKER + 1);
    expect(tenancy.line).not.toBe(line);
  });

  it("T4 does one job at a time, rejects for none, and waits before the next try", async () => {
    const desk = new TestDesk();
    const tenancy = new Tenancy(SETTINGS, desk.desk, undefined);
    await tenancy.begin();
    desk.refuses = refusal("unauthorized");
    await Promise.all([1, 2, 3].map(() => upkeep(tenancy, tenancy.now())));
    expect(desk.count("PUT")).toBe(1);
    expect(tenancy.failure).toMatchObject({ code: "unauthorized" });
    await upkeep(tenancy, tenancy.now());
    expect(desk.count("PUT")).toBe(1);
    expect(tenancy.lease).toBeDefined();
  });

  it("gives its lease back where nothing was stamped from then on", async () => {
    const desk = new TestDesk();
    const tenancy = new Tenancy(SETTINGS, desk.desk, undefined);
    await tenancy.begin();
    const taken = tenancy.line?.take(tenancy.now(), 3 * layout.sequenceCount + 1);
    expect(taken).toBeInstanceOf(Array);
    const unstamped = Math.ceil((tenancy.line?.unstamped ?? 0) / layout.sequenceCount);
    await tenancy.end();
    const until = layout.epochMs + unstamped * layout.tickMs;
    expect(desk.asked.at(-1)).toBe(`DELETE leases/orders/${FIRST_WORKER} {"until":${until}}`);
    expect(tenancy.line).toBeUndefined();
  });
});
