/**
 * The tables of a lease desk in SQLite, made by its first lease.
 *
 *   desk  (id = 0, fingerprint)  one row, written with the first lease: the layout of the worker IDs.
 *   lease (worker, token, holder, ttlMs, notBeforeTick, notAfterTick, released, idempotencyKey, owner, askedTtlMs)
 *         the last lease of each worker ID that ever had one. The last two columns were added later, and are NULL
 *         in older rows.
 *
 * Ticks are below 2^53, so a JS number holds them exactly.
 */
import * as v from "valibot";
import type { Kept, LeaseRows, LeaseWrite } from "../core/lease/lease-desk.ts";
import type { WorkerLease } from "../core/lease/worker-lease.ts";
import { hasTable, Tables } from "./tables.ts";

/** An acquire counts one owner's open leases. Without the index, it would read the leases of all owners. */
const OWNER_INDEX = "CREATE INDEX IF NOT EXISTS leaseOwner ON lease (owner, notAfterTick)";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS desk (id INTEGER PRIMARY KEY CHECK (id = 0), fingerprint TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS lease (
    worker INTEGER PRIMARY KEY, token TEXT NOT NULL, holder TEXT NOT NULL, ttlMs INTEGER NOT NULL,
    notBeforeTick INTEGER NOT NULL, notAfterTick INTEGER NOT NULL, released INTEGER NOT NULL,
    idempotencyKey TEXT UNIQUE, owner TEXT, askedTtlMs INTEGER
  );
  ${OWNER_INDEX};
  CREATE INDEX IF NOT EXISTS leaseEnd ON lease (notAfterTick);
`;

/** Columns that tables of earlier versions lack, with their types. */
const LATER_COLUMNS = { owner: "TEXT", askedTtlMs: "INTEGER" } as const;

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
  idempotencyKey: v.nullable(v.string()),
});
const ColumnRow = v.object({ name: v.string() });
const KeptRow = v.object({ count: whole, firstEndTick: v.nullable(whole, 0) });
const DeskRow = v.object({ fingerprint: v.string() });

const COLUMNS = v.keyof(LeaseRow).options;

export class LeaseStorage implements LeaseRows {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #tables: Tables;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#tables = new Tables(this.#sql, SCHEMA, "leaseEnd");
    if (this.#tables.exist()) this.#migrate();
  }

  /** The stored layout's fingerprint; undefined before the first lease. */
  fingerprint(): string | undefined {
    if (!this.#tables.exist()) return undefined;
    const rows = this.#sql.exec("SELECT fingerprint FROM desk").toArray();
    return rows.map((row) => v.parse(DeskRow, row).fingerprint)[0];
  }

  ofWorker(worker: number): WorkerLease | undefined {
    return this.#leases("WHERE worker = ?", worker)[0];
  }

  ofKey(idempotencyKey: string): WorkerLease | undefined {
    return this.#leases("WHERE idempotencyKey = ?", idempotencyKey)[0];
  }

  firstToEnd(): WorkerLease | undefined {
    return this.#leases("ORDER BY notAfterTick, worker LIMIT 1")[0];
  }

  highestWorker(): number | undefined {
    return this.#leases("ORDER BY worker DESC LIMIT 1")[0]?.worker;
  }

  keptBy(owner: string, tick: number): Kept {
    if (!this.#tables.exist()) return { count: 0, firstEndTick: 0 };
    const row = this.#sql.exec(
      "SELECT count(*) AS count, min(notAfterTick) AS firstEndTick FROM lease WHERE owner = ? AND notAfterTick > ?",
      owner,
      tick,
    );
    return v.parse(KeptRow, row.one());
  }

  /** Leases in order of their worker IDs, from `from` on. */
  page(from: number, limit: number): WorkerLease[] {
    return this.#leases("WHERE worker >= ? ORDER BY worker LIMIT ?", from, limit);
  }

  /** Writes all rows or none. Throws if another instance has changed one of them since it was read. */
  write(writes: readonly LeaseWrite[], fingerprint: string): void {
    if (writes.length === 0) return;
    this.#tables.make();
    this.#storage.transactionSync(() => {
      this.#sql.exec("INSERT OR IGNORE INTO desk (id, fingerprint) VALUES (0, ?)", fingerprint);
      for (const write of writes) this.#put(write);
    });
  }

  /**
   * Compares the columns that determine which ticks of the worker ID may be used. Sets only changed columns, because
   * each index on a changed column is another row to write.
   */
  #put({ lease, before }: LeaseWrite): void {
    const names = COLUMNS.filter(
      (name) => name === "notAfterTick" || lease[name] !== before?.[name],
    );
    const columns = `(${names.join(", ")})`;
    const places = `(${names.map(() => "?").join(", ")})`;
    const values = names.map((name) => boundOf(lease[name]));
    const { rowsWritten } = before
      ? this.#sql.exec(
          `UPDATE lease SET ${columns} = ${places}
           WHERE worker = ? AND token = ? AND notAfterTick = ? AND released = ?`,
          ...values,
          before.worker,
          before.token,
          before.notAfterTick,
          Number(before.released),
        )
      : this.#sql.exec(`INSERT OR IGNORE INTO lease ${columns} VALUES ${places}`, ...values);
    if (rowsWritten > 0) return;
    throw new Error(
      `another instance of this desk has changed the lease of worker ID ${lease.worker}`,
    );
  }

  #migrate(): void {
    const columns = this.#sql.exec("SELECT name FROM pragma_table_info('lease')").toArray();
    const names = columns.map((row) => v.parse(ColumnRow, row).name);
    for (const [name, type] of Object.entries(LATER_COLUMNS)) {
      if (!names.includes(name)) this.#sql.exec(`ALTER TABLE lease ADD COLUMN ${name} ${type}`);
    }
    // A start must work if the disk is full or read-only, so it writes only what is missing.
    if (!hasTable(this.#sql, "leaseOwner")) this.#sql.exec(OWNER_INDEX);
  }

  #leases(where: string, ...bindings: (string | number)[]): WorkerLease[] {
    if (!this.#tables.exist()) return [];
    const rows = this.#sql
      .exec(`SELECT ${COLUMNS.join(", ")} FROM lease ${where}`, ...bindings)
      .toArray();
    return rows.map((row) => v.parse(LeaseRow, row));
  }
}

/** SQLite has no booleans. */
function boundOf(value: WorkerLease[keyof WorkerLease]): SqlStorageValue {
  return typeof value === "boolean" ? Number(value) : value;
}
