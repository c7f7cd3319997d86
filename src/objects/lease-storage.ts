/**
 * What a lease desk keeps in SQLite, from its first lease on.
 *
 *   desk  (id = 0, fingerprint)  one row, written with the first lease: the layout whose worker IDs these are.
 *   lease (worker, token, holder, ttlMs, notBeforeTick, notAfterTick, released, idempotencyKey, owner, askedTtlMs)
 *         the last lease of each worker ID that ever had one. The last two columns were added later: they are NULL
 *         in rows of before.
 *
 * Ticks are below 2^53, and so exact in an INTEGER column read as a JS number.
 */
import * as v from "valibot";
import type { Kept, WorkerLease } from "../core/worker-lease.ts";
import { Tables } from "./tables.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS desk (id INTEGER PRIMARY KEY CHECK (id = 0), fingerprint TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS lease (
    worker INTEGER PRIMARY KEY, token TEXT NOT NULL, holder TEXT NOT NULL, ttlMs INTEGER NOT NULL,
    notBeforeTick INTEGER NOT NULL, notAfterTick INTEGER NOT NULL, released INTEGER NOT NULL,
    idempotencyKey TEXT UNIQUE, owner TEXT, askedTtlMs INTEGER
  );
  CREATE INDEX IF NOT EXISTS leaseEnd ON lease (notAfterTick);
`;

/** What tables of earlier versions lack, with their types. */
const LATER_COLUMNS = { owner: "TEXT", askedTtlMs: "INTEGER" } as const;

/** A lease as it is stored, with who asked for it and how. */
export interface StoredLease extends WorkerLease {
  /** The id of the API key whose lease it is; null if an earlier version stored it. */
  readonly owner: string | null;
  /** The ttl as it was asked for with the Idempotency-Key; null if an earlier version stored it. */
  readonly askedTtlMs: number | null;
}

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
  owner: v.nullable(v.string()),
  askedTtlMs: v.nullable(whole),
});
const ColumnRow = v.object({ name: v.string() });
const KeptRow = v.object({ count: whole, firstEndTick: v.nullable(whole, 0) });
const DeskRow = v.object({ fingerprint: v.string() });

const COLUMNS =
  "worker, token, holder, ttlMs, notBeforeTick, notAfterTick, released, owner, askedTtlMs";

export class LeaseStorage {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #tables: Tables;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#tables = new Tables(this.#sql, SCHEMA, "leaseEnd");
    if (this.#tables.exist()) this.#addLaterColumns();
  }

  /** The stored layout's fingerprint; undefined before the first lease. */
  fingerprint(): string | undefined {
    if (!this.#tables.exist()) return undefined;
    const rows = this.#sql.exec("SELECT fingerprint FROM desk").toArray();
    return rows.map((row) => v.parse(DeskRow, row).fingerprint)[0];
  }

  /** The last lease of a worker ID. */
  ofWorker(worker: number): StoredLease | undefined {
    return this.#leases("WHERE worker = ?", worker)[0];
  }

  /** The lease that was acquired with that key, unless it was overtaken. */
  ofKey(idempotencyKey: string): StoredLease | undefined {
    return this.#leases("WHERE idempotencyKey = ?", idempotencyKey)[0];
  }

  /** The lease that ended, or will end, first. */
  firstToEnd(): StoredLease | undefined {
    return this.#leases("ORDER BY notAfterTick, worker LIMIT 1")[0];
  }

  /** The highest worker ID that ever had a lease: those above are fresh. */
  highestWorker(): number | undefined {
    return this.#leases("ORDER BY worker DESC LIMIT 1")[0]?.worker;
  }

  /** Leases in the order of their worker IDs, from `from` on. */
  page(from: number, limit: number): StoredLease[] {
    return this.#leases("WHERE worker >= ? ORDER BY worker LIMIT ?", from, limit);
  }

  /** An owner's worker IDs whose last lease ends past that tick. Reads all leases that do, by the index of their ends. */
  keptBy(owner: string, tick: number): Kept {
    if (!this.#tables.exist()) return { count: 0, firstEndTick: 0 };
    const row = this.#sql.exec(
      "SELECT count(*) AS count, min(notAfterTick) AS firstEndTick FROM lease WHERE notAfterTick > ? AND owner = ?",
      tick,
      owner,
    );
    return v.parse(KeptRow, row.one());
  }

  /**
   * A new lease; it overtakes `before`, the one that the worker ID had. All of it is written, or nothing.
   * Throws where another instance has changed that one since it was read.
   */
  grant(
    lease: StoredLease,
    before: StoredLease | undefined,
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
  update(lease: StoredLease, before: StoredLease): void {
    this.#set(lease, before);
  }

  #insert(lease: StoredLease, idempotencyKey: string): void {
    const { worker, token, holder, ttlMs, notBeforeTick, notAfterTick, owner, askedTtlMs } = lease;
    const { rowsWritten } = this.#sql.exec(
      `INSERT OR IGNORE INTO lease (${COLUMNS}, idempotencyKey) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?)`,
      worker,
      token,
      holder,
      ttlMs,
      notBeforeTick,
      notAfterTick,
      owner,
      askedTtlMs,
      idempotencyKey,
    );
    if (rowsWritten === 0) throw changedMeanwhile(worker);
  }

  /** By compare-and-set on what decides how far the worker ID may be stamped. `idempotencyKey` absent: as it is. */
  #set(lease: StoredLease, before: StoredLease, idempotencyKey?: string): void {
    const { worker, token, holder, ttlMs, notBeforeTick, notAfterTick, released } = lease;
    const { rowsWritten } = this.#sql.exec(
      `UPDATE lease SET token = ?, holder = ?, ttlMs = ?, notBeforeTick = ?, notAfterTick = ?, released = ?,
         owner = ?, askedTtlMs = ?, idempotencyKey = coalesce(?, idempotencyKey)
       WHERE worker = ? AND token = ? AND notAfterTick = ? AND released = ?`,
      token,
      holder,
      ttlMs,
      notBeforeTick,
      notAfterTick,
      released ? 1 : 0,
      lease.owner,
      lease.askedTtlMs,
      idempotencyKey ?? null,
      worker,
      before.token,
      before.notAfterTick,
      before.released ? 1 : 0,
    );
    if (rowsWritten === 0) throw changedMeanwhile(worker);
  }

  #addLaterColumns(): void {
    const columns = this.#sql.exec("SELECT name FROM pragma_table_info('lease')").toArray();
    const names = columns.map((row) => v.parse(ColumnRow, row).name);
    for (const [name, type] of Object.entries(LATER_COLUMNS)) {
      if (!names.includes(name)) this.#sql.exec(`ALTER TABLE lease ADD COLUMN ${name} ${type}`);
    }
  }

  #leases(where: string, ...bindings: (string | number)[]): StoredLease[] {
    if (!this.#tables.exist()) return [];
    const rows = this.#sql.exec(`SELECT ${COLUMNS} FROM lease ${where}`, ...bindings).toArray();
    return rows.map((row) => v.parse(LeaseRow, row));
  }
}

function changedMeanwhile(worker: number): Error {
  return new Error(`another instance of this desk has changed the lease of worker ID ${worker}`);
}
