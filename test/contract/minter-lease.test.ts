/** A minter's lease over time, and the store that it may resume from. Needs `npm run build` before. */
import { writeFileSync } from "node:fs";
import { fileStore } from "edgeflake/minter/file";
import { describe, expect, it } from "vitest";
import {
  expectDistinct,
  failureOf,
  gate,
  leaseOf,
  msOf,
  newestOf,
  newFile,
  open,
  passTime,
  pathTo,
  revoke,
  storedIn,
  TTL_DEFAULT_MS,
  tryNext,
  until,
  WAIT_MS,
  workerOf,
} from "../support/minters.ts";

/** IDs are asked for so many times while a lease ends. */
const STEPS = 40;

describe("the lease of a minter", () => {
  it("is renewed in time: the worker ID stays", async () => {
    const minter = await open();
    const { worker } = minter;
    const ids: string[] = [];
    const codes = new Set<string | undefined>();
    for (let renewal = 0; renewal < 3; renewal += 1) {
      const { notAfter } = await leaseOf(worker);
      passTime(TTL_DEFAULT_MS, [performance]);
      await until(async () => {
        codes.add(tryNext(minter, ids));
        return (await leaseOf(worker)).notAfter > notAfter;
      });
    }
    expect([...codes]).toEqual([undefined]);
    expect(minter.worker).toBe(worker);
    expectDistinct(ids);
  });

  it("ends if the service is down for long, and no ID is past its end; later there is a new lease", async () => {
    const way = await gate();
    const minter = await open({ url: way.url, timeoutMs: WAIT_MS, retries: 0 });
    const { worker } = minter;
    const { notAfter } = await leaseOf(worker);
    const ids = [minter.next()];
    way.shut();
    const codes = new Set<string | undefined>();
    for (let step = 0; step <= STEPS; step += 1) {
      codes.add(tryNext(minter, ids));
      passTime(TTL_DEFAULT_MS / STEPS);
      // The clock is read once in a synchronous turn.
      await Promise.resolve();
    }
    codes.add(tryNext(minter, ids));
    expect([...codes]).toEqual([undefined, "lease_lost"]);
    const lastMs = Math.max(...ids.map(msOf));
    expect(lastMs).toBeLessThan(notAfter);
    expect(lastMs).toBeGreaterThan(notAfter - TTL_DEFAULT_MS / 2);
    await until(async () => (await failureOf(() => minter.next())).cause !== undefined);
    const error = await failureOf(() => minter.next());
    expect(error).toMatchObject({ code: "lease_lost", definite: true });
    expect(error.cause).toMatchObject({ code: expect.stringMatching(/^(network|timeout)$/) });
    const late = minter.ready();
    passTime(WAIT_MS);
    await expect(late).rejects.toMatchObject({ code: "lease_lost" });
    way.open();
    await until(() => tryNext(minter, ids) === undefined);
    expectDistinct(ids);
  });

  it("that was revoked is dropped, and another is acquired", async () => {
    const minter = await open();
    const { worker } = minter;
    const ids = [minter.next()];
    await revoke(worker);
    const { notAfter } = await leaseOf(worker);
    passTime(TTL_DEFAULT_MS, [performance]);
    await until(() => {
      tryNext(minter, ids);
      return minter.worker !== undefined && minter.worker !== worker;
    });
    await until(() => tryNext(minter, ids) === undefined);
    const before = ids.filter((id) => workerOf(id) === worker);
    expect(Math.max(...before.map(msOf))).toBeLessThan(notAfter);
    expect(workerOf(ids.at(-1))).toBe(minter.worker);
    expectDistinct(ids);
  });

  it("is awaited by ready until the signal aborts", async () => {
    const way = await gate();
    const minter = await open({ url: way.url, timeoutMs: WAIT_MS, retries: 0 });
    await minter.ready({ signal: new AbortController().signal });
    way.shut();
    passTime(TTL_DEFAULT_MS);
    expect(tryNext(minter, [])).toBe("lease_lost");
    const reason = new Error("enough");
    const stop = new AbortController();
    const waiting = minter.ready({ signal: stop.signal });
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(minter.ready({ signal: stop.signal })).rejects.toBe(reason);
    const ready = minter.ready();
    way.open();
    await ready;
    expect(minter.next()).toMatch(/^\d+$/);
  });
});

describe("a store file", () => {
  it.each([
    ["empty", ""],
    ["no JSON", '{"version":1,'],
    ["no object", "null"],
    ["of another version", '{"version":2,"namespace":"default","mark":1,"lease":{}}'],
    ["without a lease", '{"version":1,"namespace":"default","mark":1}'],
    ["binary", "\u0000\u0001\u0002"],
  ])("that is %s: the minter acquires a lease and replaces the file", async (_, text) => {
    const file = newFile();
    writeFileSync(`${file}.1`, text);
    const minter = await open({ store: fileStore(file) });
    expect(minter.next()).toMatch(/^\d+$/);
    expect(storedIn(file)).toMatchObject({ version: 1, namespace: "default" });
  });

  it.each([
    ["negative", -1],
    ["no whole number", 0.5],
    ["missing", undefined],
  ])("whose mark is %s is not resumed", async (_, mark) => {
    const file = newFile();
    const first = await open({ store: fileStore(file) });
    writeFileSync(`${file}.${newestOf(file)}`, JSON.stringify({ ...storedIn(file), mark }));
    const second = await open({ store: fileStore(file) });
    expect(second.worker).not.toBe(first.worker);
  });

  it("of another namespace is not resumed", async () => {
    const file = newFile();
    const first = await open({ store: fileStore(file) });
    const second = await open({ store: fileStore(file), namespace: "twitter" });
    expectDistinct(first.take(10), second.take(10));
    expect(storedIn(file)).toMatchObject({ namespace: "twitter" });
  });

  it("of another service is not resumed", async () => {
    const file = newFile();
    const first = await open({ store: fileStore(file) });
    const { mark } = storedIn(file);
    const elsewhere = { ...storedIn(file), url: "http://elsewhere.example" };
    writeFileSync(`${file}.${newestOf(file)}`, JSON.stringify(elsewhere));
    const second = await open({ store: fileStore(file) });
    expect(second.worker).not.toBe(first.worker);
    expect(storedIn(file).mark).not.toBe(mark);
  });

  it("in a missing folder: open rejects with the file system's error", async () => {
    const store = fileStore(pathTo("nowhere/lease.json"));
    await expect(open({ store })).rejects.toMatchObject({ code: "ENOENT" });
  });
});
