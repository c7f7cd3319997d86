/** K2 (objects/leases): of two instances on one storage, the one that read too early changes nothing. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { WorkerLease } from "../../src/core/worker-lease.ts";
import { LeaseStorage } from "../../src/objects/lease-storage.ts";
import { useClock } from "../support/clock.ts";

useClock("waits");

const LEASE: WorkerLease = {
  worker: 7,
  token: "first",
  holder: "pod",
  ttlMs: 5000,
  notBeforeTick: 10,
  notAfterTick: 20,
  released: false,
  owner: "key-1",
  askedTtlMs: 5000,
  idempotencyKey: "a",
};
const NEXT: WorkerLease = {
  ...LEASE,
  token: "next",
  notBeforeTick: 20,
  notAfterTick: 30,
  idempotencyKey: "c",
};

/** Two instances of a desk, on the storage of one. */
function twoOn(name: string, look: (one: LeaseStorage, other: LeaseStorage) => void) {
  const stub = env.LEASES.getByName(name);
  return runInDurableObject(stub, (_, { storage }) =>
    look(new LeaseStorage(storage), new LeaseStorage(storage)),
  );
}

const first = (lease: WorkerLease) => [{ lease, before: undefined }];

it("K2 a worker ID is leased once", () =>
  twoOn("fresh", (one, other) => {
    one.write(first(LEASE), "f");
    expect(() => other.write(first(NEXT), "f")).toThrow("another instance");
    expect(other.ofWorker(7)).toEqual(LEASE);
  }));

it("K2 a lease is overtaken once, and the key that failed is as it was", () =>
  twoOn("overtaken", (one, other) => {
    const neighbour = { ...LEASE, worker: 8, idempotencyKey: "b" };
    one.write([...first(LEASE), ...first(neighbour)], "f");
    one.write([{ lease: NEXT, before: LEASE }], "f");
    const late = [
      { lease: { ...neighbour, idempotencyKey: null }, before: neighbour },
      { lease: { ...NEXT, token: "late", idempotencyKey: "b" }, before: LEASE },
    ];
    expect(() => other.write(late, "f")).toThrow("another instance");
    expect([other.ofWorker(7), other.ofKey("b")]).toEqual([NEXT, neighbour]);
  }));

it.each<[string, WorkerLease]>([
  ["was renewed", { ...LEASE, notAfterTick: 40 }],
  ["was released", { ...LEASE, notAfterTick: 15, released: true }],
  ["went to another", NEXT],
])("K2 a lease that %s is not renewed by what it was before", (what, changed) =>
  twoOn(what, (one, other) => {
    one.write(first(LEASE), "f");
    one.write([{ lease: changed, before: LEASE }], "f");
    const late = [{ lease: { ...LEASE, notAfterTick: 30 }, before: LEASE }];
    expect(() => other.write(late, "f")).toThrow("another instance");
    expect(other.ofWorker(7)).toEqual(changed);
  }),
);
