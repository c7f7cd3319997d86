/** The published minter, as built, in Node against the real service. Needs `npm run build` before. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import * as v from "valibot";
import { describe, expect, it, vi } from "vitest";
import {
  ADMIN_KEY,
  ask,
  expectDistinct,
  failureOf,
  gate,
  leaseOf,
  msOf,
  open,
  service,
  until,
  workerOf,
} from "../support/minters.ts";
import { serviceOfFile } from "../support/processes/service-process.ts";

const SIZE_MAX_BYTES = 8_500;
/** Of the preset `default`: worker IDs are leased from the upper half of 1024. */
const FIRST_WORKER = 512;

describe("edgeflake/minter", () => {
  it("is small, and has no dependencies", () => {
    const codeOf = (name: string) =>
      readFileSync(new URL(`../../dist/client/${name}.js`, import.meta.url));
    const code = codeOf("minter");
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(SIZE_MAX_BYTES);
    expect(String(code)).not.toMatch(/\bimport\b\s*[("'{*]|\brequire\(|node:/);
    const imports = [...String(codeOf("file-store")).matchAll(/from"([^"]+)"/g)];
    expect(imports.length).toBeGreaterThan(0);
    for (const [, name] of imports) expect(name).toMatch(/^node:/);
  });

  it("leases a worker ID and makes IDs with it: single, as bigints, many", async () => {
    const minter = await open({ holder: "pod-7" });
    const ids = [minter.next(), `${minter.nextBigInt()}`, ...minter.take(3), minter.next()];
    expect(typeof minter.nextBigInt()).toBe("bigint");
    const many = minter.take(1_000_000);
    expect(many).toHaveLength(1_000_000);
    const all = [...ids, ...many, ...Array.from({ length: 5000 }, () => minter.next())];
    // Texts of one length are ordered as their numbers are.
    const { length } = all[0] ?? "";
    const follows = (id: string, at: number) =>
      id.length === length && (at === 0 || id > (all[at - 1] ?? id));
    expect(all.every(follows)).toBe(true);
    expect(minter.worker).toBeGreaterThanOrEqual(FIRST_WORKER);
    expect(workerOf(ids[0])).toBe(minter.worker);
    const { holder, state, notBefore, notAfter } = await leaseOf(minter.worker);
    expect([holder, state]).toEqual(["pod-7", "held"]);
    const stamped = [ids[0] ?? "", many.at(-1) ?? ""].map(msOf);
    expect(Math.min(...stamped)).toBeGreaterThanOrEqual(notBefore);
    expect(Math.max(...stamped)).toBeLessThan(notAfter);
  });

  it("makes IDs that the service decodes", async () => {
    const minter = await open();
    const answer = await fetch(`${service.url}/v1/decode/default/${minter.next()}`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ worker: minter.worker });
  });

  it("close releases the worker ID from the last ID on, and ends the minter", async () => {
    const minter = await open();
    const { worker } = minter;
    const last = minter.take(100_000).at(-1) ?? "";
    await minter.close();
    await minter.close();
    await until(async () => (await leaseOf(worker)).state === "released");
    const { notAfter } = await leaseOf(worker);
    expect(notAfter).toBeGreaterThan(msOf(last));
    expect(notAfter).toBeLessThan(msOf(last) + 1000);
    expect(minter.worker).toBeUndefined();
    for (const call of [
      () => minter.next(),
      () => minter.nextBigInt(),
      () => minter.take(1),
      () => minter.ready(),
    ]) {
      expect(await failureOf(call)).toMatchObject({ code: "closed", definite: true });
    }
  });

  it("if the line is too far ahead of the clock: shard_saturated with the wait, which ready waits for", async () => {
    const minter = await open({ namespace: "js53" });
    // At one moment there are no more than its line has.
    vi.spyOn(Date, "now").mockReturnValue(Date.now());
    const ids = minter.take(120_000);
    const error = await failureOf(() => minter.take(120_000));
    expect(error).toMatchObject({ code: "shard_saturated", definite: true });
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(1);
    // A call that throws makes no ID.
    for (let taken = 0; taken < 200_000; taken += 1000) {
      try {
        ids.push(...minter.take(1000));
      } catch {
        break;
      }
    }
    vi.restoreAllMocks();
    await minter.ready();
    ids.push(minter.next());
    expectDistinct(ids);
    expect(ids.every((id) => Number.isSafeInteger(Number(id)))).toBe(true);
  });

  it.each(["default", "twitter", "leaf", "js53", "node"])(
    "two on %s: each has a worker ID of its own",
    async (namespace) => {
      const pair = [await open({ namespace }), await open({ namespace })];
      const ids: string[] = [];
      for (let round = 0; round < 200; round += 1) {
        for (const minter of pair) {
          await minter.ready();
          ids.push(minter.next());
        }
      }
      expectDistinct(ids);
      expect(new Set(pair.map(({ worker }) => worker)).size).toBe(2);
    },
  );

  it.each([0, -1, 1.5, Number.NaN, 1_000_001])("take(%d) is a RangeError", async (count) => {
    const minter = await open();
    expect(() => minter.take(count)).toThrow(RangeError);
  });
});

describe("open", () => {
  const closed = serviceOfFile({ ADMIN_KEY });

  it.each([
    [{ url: "" }],
    [{ url: "ids.example.com" }],
    [{ namespace: "" }],
    [{ timeoutMs: 0 }],
    [{ timeoutMs: Number.POSITIVE_INFINITY }],
    [{ retries: -1 }],
    [{ retries: Number.NaN }],
  ])("with %j rejects with a TypeError", async (change) => {
    await expect(open(change)).rejects.toThrow(TypeError);
  });

  it.each([
    ["a namespace that is not there", { namespace: "nope" }, "unknown_namespace", 404],
    ["a namespace of the kind segment", { namespace: "numbers" }, "wrong_kind", undefined],
    ["too short a ttl", { ttlMs: 10 }, "invalid_body", undefined],
  ] as const)("rejects, with its code, for %s", async (_, change, code, status) => {
    await ask(service.url, "PUT", "namespaces/numbers", { kind: "segment" });
    const error = await failureOf(() => open(change));
    expect(error).toMatchObject({ name: "EdgeflakeError", code, definite: true });
    expect(error.status).toBe(status ?? error.status);
    expect(error.requestId).toBeTruthy();
  });

  it("accepts a key with the scope lease", async () => {
    const made = await ask(closed.url, "POST", "keys", { scopes: ["lease"], name: "minters" });
    const other = await ask(closed.url, "POST", "keys", { scopes: ["issue"], name: "others" });
    const Key = v.object({ key: v.string() });
    const { key } = v.parse(Key, await made.json());
    const minter = await open({ url: `${closed.url}/`, key });
    expect(minter.next()).toMatch(/^\d+$/);
    const wrong = await failureOf(() => open({ url: closed.url, key: "nobody" }));
    expect(wrong).toMatchObject({ code: "unauthorized", status: 401, definite: true });
    const { key: lesser } = v.parse(Key, await other.json());
    const forbidden = await failureOf(() => open({ url: closed.url, key: lesser }));
    expect(forbidden).toMatchObject({ code: "forbidden", status: 403 });
  });

  it("rejects if the service is down", async () => {
    const way = await gate();
    way.shut();
    const error = await failureOf(() => open({ url: way.url, retries: 1 }));
    expect(error).toMatchObject({ code: "network", definite: false });
    expect(way.count).toBeGreaterThanOrEqual(2);
  });
});
