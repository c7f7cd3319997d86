/** Processes that mint, killed and restarted, with a store and without. Needs `npm run build` before. */
import { fileStore } from "edgeflake/minter/file";
import { describe, expect, it } from "vitest";
import {
  expectDistinct,
  gate,
  leaseOf,
  msOf,
  newFile,
  open,
  pathTo,
  revoke,
  start,
  tryNext,
  until,
  workerOf,
} from "../support/minters.ts";
import { ServiceProcess } from "../support/processes/service-process.ts";

/** The shortest possible lease. */
const TTL_MS = 5000;

describe("processes", () => {
  it("with the same holder have two leases and two worker IDs", async () => {
    const pair = [1, 2].map(() => start({ holder: "pod" }, "take 2000"));
    for (const one of pair) expect(await one.ended).toBe(0);
    const [one, other] = pair.map(({ ids, worker }) => ({ ids, worker }));
    expect(one?.worker).not.toBe(other?.worker);
    expect(one?.ids).toHaveLength(2000);
    expectDistinct(one?.ids ?? [], other?.ids ?? []);
  });

  it.each([
    ["without a store", false],
    ["with a store", true],
  ] as const)("killed right after an ID, %s, never make it again", async (_, isStored) => {
    const file = isStored ? newFile() : undefined;
    const ids: string[][] = [];
    const workers = new Set<number>();
    for (let round = 0; round < 4; round += 1) {
      const minting = start({ file }, "loop");
      await minting.until((one) => one.ids.length > 20 * round);
      await minting.crash();
      ids.push(minting.ids);
      workers.add(minting.worker);
    }
    expectDistinct(...ids);
    expect(workers.size).toBe(isStored ? 1 : 4);
  });

  it("resume from their store while the service is down", async () => {
    const way = await gate();
    const file = newFile();
    const options = { url: way.url, file };
    const first = start(options, "take 500", "hold");
    await first.until(({ ids }) => ids.length === 500);
    await first.crash();
    way.shut();
    const second = start(options, "loop");
    await second.until(({ ids }) => ids.length > 50);
    expect(second.worker).toBe(first.worker);
    expectDistinct(first.ids, second.ids);
    expect(Number(second.ids[0])).toBeGreaterThan(Number(first.ids.at(-1)));
    const { notAfter } = await leaseOf(first.worker);
    expect(Math.max(...second.ids.map(msOf))).toBeLessThan(notAfter);
    expect(second.lines.filter((line) => /^(failed|unhandled)/.test(line))).toEqual([]);
  });

  it("two on one store: one resumes, the other gets a lease of its own", async () => {
    // Its store is written twice a second, so the process that lost it soon sees the other's text.
    const options = { file: newFile(), namespace: "twitter" };
    const first = start(options, "loop");
    await first.until(({ ids }) => ids.length > 50);
    const second = start(options, "loop");
    await second.until(({ ids }) => ids.length > 50);
    const pair = [first, second];
    const workers = () => pair.map(({ ids }) => workerOf(ids.at(-1)));
    await first.until(() => new Set(workers()).size === 2);
    expect(workers()).toContain(first.worker);
    for (const one of pair) {
      const count = one.ids.length;
      await one.until(({ ids }) => ids.length > count + 50);
    }
    expect(new Set(workers()).size).toBe(2);
    expectDistinct(...pair.map(({ ids }) => ids));
  });

  it("that closed leave nothing to resume", async () => {
    const file = newFile();
    const first = start({ file }, "take 10", "close");
    await first.ended;
    await until(async () => (await leaseOf(first.worker)).state === "released");
    const second = start({ file }, "take 10", "close");
    await second.ended;
    expect(second.worker).not.toBe(first.worker);
    expectDistinct(first.ids, second.ids);
  });

  it.each([
    ["without a store", false],
    ["with a store", true],
  ] as const)("end by themselves while the minter is open, %s", async (_, isStored) => {
    const minting = start(isStored ? { file: newFile() } : {}, "take 3");
    expect(await minting.ended).toBe(0);
    expect(minting.ids).toHaveLength(3);
  });

  it("survive a crash and restart of the service, without an unhandled error", {
    tags: ["long"],
  }, async () => {
    const own = pathTo("crashing");
    const first = await ServiceProcess.start(own, { ACCESS: "open" });
    const way = await gate(first.url);
    const options = { url: way.url, ttlMs: TTL_MS };
    const minting = [start(options, "loop"), start({ ...options, file: newFile() }, "loop")];
    for (const one of minting) await one.until(({ ids }) => ids.length > 20);
    await first.crash();
    way.shut();
    const isLost = (line: string) => line === "error lease_lost";
    await minting[0]?.until(({ lines }) => lines.some(isLost));
    const second = await ServiceProcess.start(own, { ACCESS: "open" });
    way.open(second.url);
    for (const one of minting) {
      const count = one.ids.length;
      await one.until(({ ids }) => ids.length > count + 50);
      await one.crash();
      expect(one.lines.filter((line) => /^(failed|unhandled)/.test(line))).toEqual([]);
    }
    expectDistinct(...minting.map(({ ids }) => ids));
  });

  it("whose lease was revoked acquire another", async () => {
    const file = newFile();
    const first = start({ file }, "take 10", "hold");
    await first.until(({ ids }) => ids.length === 10);
    await first.crash();
    await revoke(first.worker);
    const minter = await open({ store: fileStore(file) });
    const ids: string[] = [];
    await until(() => {
      tryNext(minter, ids);
      return workerOf(ids.at(-1)) !== first.worker && ids.length > 0;
    });
    expectDistinct(first.ids, ids);
  });
});
