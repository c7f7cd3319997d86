/**
 * The table of a segment object in SQLite, made by its first allocation. kept-answers has the tables for retries.
 *
 *   segment (id = 0, maxId, fingerprint, updatedMs, tally)  one row, made by the first allocation. All numbers
 *                                                           below maxId were issued, and none from maxId on.
 *
 * Numbers reach 2^63, and a JS number can't hold that exactly: they are decimal TEXT.
 */
import * as v from "valibot";
import { KeptAnswers } from "./kept-answers.ts";
import { Tables } from "./tables.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS segment (
    id INTEGER PRIMARY KEY CHECK (id = 0), maxId TEXT NOT NULL, fingerprint TEXT NOT NULL,
    updatedMs INTEGER NOT NULL, tally TEXT NOT NULL
  );
`;

const number = v.pipe(
  v.string(),
  v.regex(/^\d{1,19}$/),
  v.transform((text) => BigInt(text)),
);
const SegmentRow = v.object({
  maxId: number,
  fingerprint: v.string(),
  updatedMs: v.pipe(v.number(), v.safeInteger()),
  tally: v.string(),
});

export type SegmentRow = v.InferOutput<typeof SegmentRow>;

export class SegmentStorage {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #tables: Tables;
  readonly answers: KeptAnswers;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#tables = new Tables(this.#sql, SCHEMA, "segment");
    this.answers = new KeptAnswers(this.#sql);
  }

  /** The row as stored now; undefined before the first allocation. */
  row(): SegmentRow | undefined {
    if (!this.#tables.exist()) return undefined;
    const rows = this.#sql.exec("SELECT maxId, fingerprint, updatedMs, tally FROM segment");
    return rows.toArray().map((row) => v.parse(SegmentRow, row))[0];
  }

  /** Runs `write` in a transaction: if it throws, none of its writes remain. */
  atOnce(write: () => void): void {
    this.#tables.make();
    this.answers.makeTables();
    this.#storage.transactionSync(write);
  }

  /**
   * Moves maxId by compare-and-set. `from` is undefined for the first allocation, which has no row yet. Returns false
   * if the stored maxId differs from `from`: another instance has taken over.
   */
  move(from: bigint | undefined, to: SegmentRow): boolean {
    if (from === undefined) this.#tables.make();
    const { maxId, fingerprint, updatedMs, tally } = to;
    const { rowsWritten } =
      from === undefined
        ? this.#sql.exec(
            "INSERT OR IGNORE INTO segment (id, maxId, fingerprint, updatedMs, tally) VALUES (0, ?, ?, ?, ?)",
            `${maxId}`,
            fingerprint,
            updatedMs,
            tally,
          )
        : this.#sql.exec(
            "UPDATE segment SET maxId = ?, updatedMs = ?, tally = ? WHERE id = 0 AND maxId = ?",
            `${maxId}`,
            updatedMs,
            tally,
            `${from}`,
          );
    return rowsWritten > 0;
  }
}
