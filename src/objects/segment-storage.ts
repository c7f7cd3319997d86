/**
 * What a segment object keeps in SQLite.
 *
 *   segment (id = 0, maxId, fingerprint, updatedMs, tally)  one row, made by the first allocation. Every number
 *                                                           below maxId, and none from it on, was given out.
 *   answer  (seq, idempotencyKey, fromId, untilId, count, atMs)  what a request with that key got. seq grows with time,
 *                                                                and atMs is never earlier than that time (D7).
 *
 * Numbers reach 2^63, beyond what an INTEGER column gives back exactly as a JS number: they are decimal TEXT.
 */
import * as v from "valibot";
import { IDEMPOTENCY_KEPT_MS, IDEMPOTENCY_KEYS_MAX } from "../core/limits.ts";
import type { Segment } from "../core/segment.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS segment (
    id INTEGER PRIMARY KEY CHECK (id = 0), maxId TEXT NOT NULL, fingerprint TEXT NOT NULL,
    updatedMs INTEGER NOT NULL, tally TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS answer (
    seq INTEGER PRIMARY KEY, idempotencyKey TEXT NOT NULL UNIQUE, fromId TEXT NOT NULL, untilId TEXT NOT NULL,
    count INTEGER NOT NULL, atMs INTEGER NOT NULL
  );
`;

/** Both clocks of a call, its object's and its caller's, in unix ms. At most one of them is wrong. */
export interface CallClocks {
  readonly earlierMs: number;
  readonly laterMs: number;
}

/** Old answers that make room for a new one: more than one, so that a full table empties. */
const DELETED_AT_A_TIME = 2;

const number = v.pipe(
  v.string(),
  v.regex(/^\d{1,19}$/),
  v.transform((text) => BigInt(text)),
);
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const SegmentRow = v.object({
  maxId: number,
  fingerprint: v.string(),
  updatedMs: v.pipe(v.number(), v.safeInteger()),
  tally: v.string(),
});
const AnswerRow = v.object({ fromId: number, untilId: number, count: whole });
const SeqRow = v.object({ seq: whole });
const AtRow = v.object({ atMs: v.pipe(v.number(), v.safeInteger()) });

export type SegmentRow = v.InferOutput<typeof SegmentRow>;

export interface KeptAnswer {
  readonly segment: Segment;
  readonly count: number;
}

export class SegmentStorage {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#sql.exec(SCHEMA);
  }

  /** The row as stored now; undefined before the first allocation. */
  row(): SegmentRow | undefined {
    const rows = this.#sql.exec("SELECT maxId, fingerprint, updatedMs, tally FROM segment");
    return rows.toArray().map((row) => v.parse(SegmentRow, row))[0];
  }

  /** All that `write` writes, or, where it throws, none of it. */
  atOnce(write: () => void): void {
    this.#storage.transactionSync(write);
  }

  /**
   * Moves maxId by compare-and-set; `from` undefined is the first allocation, which has no row yet.
   * False: the stored maxId is another one, so another instance has taken over.
   */
  move(from: bigint | undefined, to: SegmentRow): boolean {
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

  /** What that key was answered, within IDEMPOTENCY_KEPT_MS (D7). */
  answer(key: string, { earlierMs }: CallClocks): KeptAnswer | undefined {
    const rows = this.#sql.exec(
      "SELECT fromId, untilId, count FROM answer WHERE idempotencyKey = ? AND atMs > ?",
      key,
      earlierMs - IDEMPOTENCY_KEPT_MS,
    );
    return rows.toArray().map((row) => {
      const { fromId, untilId, count } = v.parse(AnswerRow, row);
      return { segment: { from: fromId, until: untilId }, count };
    })[0];
  }

  /** Keeps an answer for its key (D7). Those too old go, IDEMPOTENCY_KEYS_MAX stay at most. */
  keepAnswer(key: string, { segment, count }: KeptAnswer, clocks: CallClocks): void {
    const { from, until } = segment;
    const { earlierMs, laterMs } = clocks;
    this.#restamp(laterMs);
    // An answer of that key that is here still was found to be too old.
    this.#sql.exec("DELETE FROM answer WHERE idempotencyKey = ?", key);
    const inserted = this.#sql.exec(
      "INSERT INTO answer (idempotencyKey, fromId, untilId, count, atMs) VALUES (?, ?, ?, ?, ?) RETURNING seq",
      key,
      `${from}`,
      `${until}`,
      count,
      laterMs,
    );
    const { seq } = v.parse(SeqRow, inserted.one());
    this.#sql.exec(
      `DELETE FROM answer WHERE seq IN (
        SELECT seq FROM (SELECT seq, atMs FROM answer ORDER BY seq LIMIT ${DELETED_AT_A_TIME})
        WHERE atMs <= ? OR seq <= ?
      )`,
      earlierMs - IDEMPOTENCY_KEPT_MS,
      seq - IDEMPOTENCY_KEYS_MAX,
    );
  }

  /**
   * An oldest answer that is stamped later than now was stamped by a clock that was ahead. All such are stamped anew:
   * left alone, they would stay, and keep those after them, until that time.
   */
  #restamp(laterMs: number): void {
    const [row] = this.#sql.exec("SELECT atMs FROM answer ORDER BY seq LIMIT 1").toArray();
    if (!row || v.parse(AtRow, row).atMs <= laterMs) return;
    this.#sql.exec("UPDATE answer SET atMs = ? WHERE atMs > ?", laterMs, laterMs);
  }
}
