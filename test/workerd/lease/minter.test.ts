/** The minter inside a Worker, against this Worker's own leases. */
import { exports } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Minter } from "../../../src/client/minter.ts";
import { decodedId } from "../../../src/core/layout/decoded.ts";
import { namespaceOf } from "../../support/shards.ts";

beforeEach(() => {
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => exports.default.fetch(url, init));
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it("leases a worker ID, makes IDs with it, and releases it", async () => {
  const options = { url: "https://edgeflake.test", namespace: "default", holder: "a Worker" };
  const [one, other] = await Promise.all([Minter.open(options), Minter.open(options)]);
  const ids = [one.next(), other.next(), `${one.nextBigInt()}`, ...one.take(5000)];
  expect(new Set(ids).size).toBe(5003);
  const { layout } = namespaceOf("default");
  const workers = new Set(ids.map((id) => decodedId(layout, BigInt(id))?.shard));
  expect(workers).toEqual(new Set([one.worker, other.worker]));
  expect(Math.min(...[one, other].map(({ worker = 0 }) => worker))).toBeGreaterThanOrEqual(512);
  await Promise.all([one.close(), other.close()]);
  expect(() => one.next()).toThrow(expect.objectContaining({ code: "closed" }));
});
