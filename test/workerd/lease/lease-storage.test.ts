/** K2 (objects/leases): of two instances on one storage, an instance with an old reading changes nothing. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { WorkerLease } from "../../../src/core/lease/worker-lease.ts";
import { LeaseStorage } from "../../../src/objects/lease-storage.ts";
import { useClock } from "../../support/clock.ts";

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

it("a decision reads few rows, and a renewal writes few, with any number of leases", () =>
  runInDurableObject(env.LEASES.getByName("many"), (_, { storage }) => {
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    const exec = (...query: Parameters<SqlStorage["exec"]>) => {
      const cursor = storage.sql.exec(...query);
      cursors.push(cursor);
      return cursor;
    };
    const transactionSync = storage.transactionSync.bind(storage);
    // Only the part of the platform's storage that a desk uses.
    const watched = { sql: { exec }, transactionSync } as unknown as DurableObjectStorage;
    const desk = new LeaseStorage(watched);
    const leases = Array.from({ length: 3000 }, (_unused, index) => {
      const owner = index < 5 ? "few" : "many";
      return { ...LEASE, worker: 7 + index, idempotencyKey: `${index}`, owner };
    });
    desk.write(leases.flatMap(first), "f");
    cursors.length = 0;
    expect(desk.keptBy("few", 0)).toEqual({ count: 5, firstEndTick: 20 });
    const held = desk.ofWorker(9) ?? LEASE;
    const found = [held, desk.ofKey("1"), desk.firstToEnd()];
    expect(found.map((lease) => lease?.worker)).toEqual([9, 8, 7]);
    expect(desk.highestWorker()).toBe(3006);
    expect(cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0)).toBeLessThan(30);
    cursors.length = 0;
    desk.write([{ lease: { ...held, notAfterTick: 40 }, before: held }], "f");
    expect(cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0)).toBeLessThan(4);
  }));

const first = (lease: WorkerLease) => [{ lease, before: undefined }];

it("a start writes nothing, so it works while the disk rejects writes", () =>
  runInDurableObject(env.LEASES.getByName("full"), (_, { storage }) => {
    new LeaseStorage(storage).write(first(LEASE), "f");
    const exec = (query: string, ...bindings: SqlStorageValue[]) => {
      if (/CREATE|ALTER|INSERT|UPDATE/.test(query)) throw new Error("database or disk is full");
      return storage.sql.exec(query, ...bindings);
    };
    // Only the part of the platform's storage that a start uses.
    const full = { sql: { exec } } as unknown as DurableObjectStorage;
    expect(new LeaseStorage(full).ofWorker(7)).toEqual(LEASE);
  }));

it("K2 a worker ID is leased once", () =>
  twoOn("fresh", (one, other) => {
    one.write(first(LEASE), "f");
    expect(() => other.write(first(NEXT), "f")).toThrow("another instance");
    expect(other.ofWorker(7)).toEqual(LEASE);
  }));

it("K2 a lease is overtaken once, and the key of the failed call is unchanged", () =>
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
])("K2 a lease that %s is not renewed from its earlier state", (what, changed) =>
  twoOn(what, (one, other) => {
    one.write(first(LEASE), "f");
    one.write([{ lease: changed, before: LEASE }], "f");
    const late = [{ lease: { ...LEASE, notAfterTick: 30 }, before: LEASE }];
    expect(() => other.write(late, "f")).toThrow("another instance");
    expect(other.ofWorker(7)).toEqual(changed);
  }),
);
