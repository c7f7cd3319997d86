/**
 * What a lease desk keeps in SQLite, from its first lease on.
 *
 *   desk  (id = 0, fingerprint)  one row, written with the first lease: the layout whose worker IDs these are.
 *   lease (worker, token, holder, ttlMs, notBeforeTick, notAfterTick, released, idempotencyKey)
 *         the last lease of each worker ID that ever had one.
 *
 * Ticks are below 2^53, and so exact in an INTEGER column read as a JS number.
 */
import * as v from "valibot";
import type { WorkerLease } from "../core/worker-lease.ts";
import { Tables } from "./tables.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS desk (id INTEGER PRIMARY KEY CHECK (id = 0), fingerprint TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS lease (
    worker INTEGER PRIMARY KEY, token TEXT NOT NULL, holder TEXT NOT NULL, ttlMs INTEGER NOT NULL,
    notBeforeTick INTEGER NOT NULL, notAfterTick INTEGER NOT NULL, released INTEGER NOT NULL,
    idempotencyKey TEXT UNIQUE
  );
  CREATE INDEX IF NOT EXISTS leaseEnd ON lease (notAfterTick);
`;

const whole = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 53));
const LeaseRow = v.object({
  worker: whole,
  token: v.string(),
  holder: v.string(),
  ttlMs: whole,
  notBeforeTick: whole,
  notAfterTick: whole,
  released: v.pipe(
    whole,
    v.transform((flag) => flag === 1),
  ),
});
const DeskRow = v.object({ fingerprint: v.string() });

const COLUMNS = "worker, token, holder, ttlMs, notBeforeTick, notAfterTick, released";

export class LeaseStorage {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #tables: Tables;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#tables = new Tables(this.#sql, SCHEMA, "leaseEnd");
  }

  /** The stored layout's fingerprint; undefined before the first lease. */
  fingerprint(): string | undefined {
    if (!this.#tables.exist()) return undefined;
    const rows = this.#sql.exec("SELECT fingerprint FROM desk").toArray();
    return rows.map((row) => v.parse(DeskRow, row).fingerprint)[0];
  }

  /** The last lease of a worker ID. */
  ofWorker(worker: number): WorkerLease | undefined {
    return this.#leases("WHERE worker = ?", worker)[0];
  }

  /** The lease that was acquired with that key, unless it was overtaken. */
  ofKey(idempotencyKey: string): WorkerLease | undefined {
    return this.#leases("WHERE idempotencyKey = ?", idempotencyKey)[0];
  }

  /** The lease that ended, or will end, first. */
  firstToEnd(): WorkerLease | undefined {
    return this.#leases("ORDER BY notAfterTick, worker LIMIT 1")[0];
  }

  /** The highest worker ID that ever had a lease: those above are fresh. */
  highestWorker(): number | undefined {
    return this.#leases("ORDER BY worker DESC LIMIT 1")[0]?.worker;
  }

  /** Leases in the order of their worker IDs, from `from` on. */
  page(from: number, limit: number): WorkerLease[] {
    return this.#leases("WHERE worker >= ? ORDER BY worker LIMIT ?", from, limit);
  }

  /**
   * A new lease; it overtakes `before`, the one that the worker ID had. All of it is written, or nothing.
   * Throws where another instance has changed that one since it was read.
   */
  grant(
    lease: WorkerLease,
    before: WorkerLease | undefined,
    idempotencyKey: string,
    fingerprint: string,
  ): void {
    this.#tables.make();
    this.#storage.transactionSync(() => {
      this.#sql.exec("INSERT OR IGNORE INTO desk (id, fingerprint) VALUES (0, ?)", fingerprint);
      // A lease that is over gives its key away, but its row stays: it knows how far its worker ID may be stamped.
      this.#sql.exec(
        "UPDATE lease SET idempotencyKey = NULL WHERE idempotencyKey = ? AND worker <> ?",
        idempotencyKey,
        lease.worker,
      );
      if (before) this.#set(lease, before, idempotencyKey);
      else this.#insert(lease, idempotencyKey);
    });
  }

  /** Changes a lease. Throws where another instance has changed it since it was read as `before`. */
  update(lease: WorkerLease, before: WorkerLease): void {
    this.#set(lease, before);
  }

  #insert(lease: WorkerLease, idempotencyKey: string): void {
    const { worker, token, holder, ttlMs, notBeforeTick, notAfterTick } = lease;
    const { rowsWritten } = this.#sql.exec(
      `INSERT OR IGNORE INTO lease (${COLUMNS}, idempotencyKey) VALUES (?, ?, ?, ?, ?, ?, 0, ?)`,
      worker,
      token,
      holder,
      ttlMs,
      notBeforeTick,
      notAfterTick,
      idempotencyKey,
    );
    if (rowsWritten === 0) throw changedMeanwhile(worker);
  }

  /** By compare-and-set on what decides how far the worker ID may be stamped. `idempotencyKey` absent: as it is. */
  #set(lease: WorkerLease, before: WorkerLease, idempotencyKey?: string): void {
    const { worker, token, holder, ttlMs, notBeforeTick, notAfterTick, released } = lease;
    const { rowsWritten } = this.#sql.exec(
      `UPDATE lease SET token = ?, holder = ?, ttlMs = ?, notBeforeTick = ?, notAfterTick = ?, released = ?,
         idempotencyKey = coalesce(?, idempotencyKey)
       WHERE worker = ? AND token = ? AND notAfterTick = ? AND released = ?`,
      token,
      holder,
      ttlMs,
      notBeforeTick,
      notAfterTick,
      released ? 1 : 0,
      idempotencyKey ?? null,
      worker,
      before.token,
      before.notAfterTick,
      before.released ? 1 : 0,
    );
    if (rowsWritten === 0) throw changedMeanwhile(worker);
  }

  #leases(where: string, ...bindings: (string | number)[]): WorkerLease[] {
    if (!this.#tables.exist()) return [];
    const rows = this.#sql.exec(`SELECT ${COLUMNS} FROM lease ${where}`, ...bindings).toArray();
    return rows.map((row) => v.parse(LeaseRow, row));
  }
}

function changedMeanwhile(worker: number): Error {
  return new Error(`another instance of this desk has changed the lease of worker ID ${worker}`);
}
