/** K2 (objects/leases): of two instances on one storage, the one that read too early changes nothing. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { LeaseStorage, type StoredLease } from "../../src/objects/lease-storage.ts";
import { useClock } from "../support/clock.ts";

useClock("waits");

const LEASE: StoredLease = {
  worker: 7,
  token: "first",
  holder: "pod",
  ttlMs: 5000,
  notBeforeTick: 10,
  notAfterTick: 20,
  released: false,
  owner: "key-1",
  askedTtlMs: 5000,
};
const NEXT: StoredLease = { ...LEASE, token: "next", notBeforeTick: 20, notAfterTick: 30 };

/** Two instances of a desk, on the storage of one. */
function twoOn(name: string, look: (one: LeaseStorage, other: LeaseStorage) => void) {
  const stub = env.LEASES.getByName(name);
  return runInDurableObject(stub, (_, { storage }) =>
    look(new LeaseStorage(storage), new LeaseStorage(storage)),
  );
}

it("K2 a worker ID is leased once", () =>
  twoOn("fresh", (one, other) => {
    one.grant(LEASE, undefined, "a", "f");
    expect(() => other.grant(NEXT, undefined, "b", "f")).toThrow("another instance");
    expect(other.ofWorker(7)).toEqual(LEASE);
  }));

it("K2 a lease is overtaken once, and the key that failed is as it was", () =>
  twoOn("overtaken", (one, other) => {
    one.grant(LEASE, undefined, "a", "f");
    one.grant({ ...LEASE, worker: 8 }, undefined, "b", "f");
    one.grant(NEXT, LEASE, "c", "f");
    expect(() => other.grant({ ...NEXT, token: "late" }, LEASE, "b", "f")).toThrow("another");
    expect([other.ofWorker(7), other.ofKey("b")?.worker]).toEqual([NEXT, 8]);
  }));

it.each<[string, StoredLease]>([
  ["was renewed", { ...LEASE, notAfterTick: 40 }],
  ["was released", { ...LEASE, notAfterTick: 15, released: true }],
  ["went to another", NEXT],
])("K2 a lease that %s is not renewed by what it was before", (what, changed) =>
  twoOn(what, (one, other) => {
    one.grant(LEASE, undefined, "a", "f");
    if (changed === NEXT) one.grant(NEXT, LEASE, "b", "f");
    else one.update(changed, LEASE);
    expect(() => other.update({ ...LEASE, notAfterTick: 30 }, LEASE)).toThrow("another instance");
    expect(other.ofWorker(7)).toEqual(changed);
  }),
);
