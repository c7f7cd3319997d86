/**
 * Keeps the answers to requests with an Idempotency-Key, for retries. Tables in SQLite, made by the first such request:
 *
 *   kept   (seq, hash, owner, ownerSeq, fromId, count, atMs)  hash: SHA-256 of the key with its owner. seq grows with
 *                                          time, ownerSeq with that owner's; atMs is never earlier than that time (D7).
 *   answer (seq, idempotencyKey, fromId, untilId, count, atMs)  answers of an older version. Rows are only read; the
 *                                                               table is dropped once all of them expired.
 *
 * fromId reaches 2^63, and a JS number can't hold that exactly: it is read and written as text.
 */
import * as v from "valibot";
import {
  IDEMPOTENCY_KEPT_MS,
  IDEMPOTENCY_KEYS_MAX,
  IDEMPOTENCY_KEYS_PER_OWNER_MAX,
} from "../core/limits.ts";
import { hasTable, Tables } from "./tables.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS kept (
    seq INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, owner TEXT NOT NULL, ownerSeq INTEGER NOT NULL,
    fromId INTEGER NOT NULL, count INTEGER NOT NULL, atMs INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX IF NOT EXISTS keptOfOwner ON kept (owner, ownerSeq);
`;

/** The clocks of a call's object and caller, in order, in unix ms. At most one of them is wrong. */
export interface CallClocks {
  readonly earlierMs: number;
  readonly laterMs: number;
}

/** An Idempotency-Key with its owner, as hash and as text. */
export interface AnswerKey {
  readonly hash: ArrayBuffer;
  readonly owner: string;
  readonly text: string;
}

/** A kept answer: `count` IDs from `from` on. */
export interface KeptAnswer {
  readonly from: bigint;
  readonly count: number;
}

/** Old answers that each new answer deletes: more than one, so that a full table shrinks. */
const DELETED_AT_A_TIME = 2;

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const number = v.pipe(
  v.string(),
  v.regex(/^\d{1,19}$/),
  v.transform((text) => BigInt(text)),
);
const AnswerRow = v.object({ from: number, count: whole });
const PlaceRow = v.object({ seq: whole, ownerSeq: whole });
const AtRow = v.object({ atMs: v.pipe(v.number(), v.safeInteger()) });

const encoder = new TextEncoder();

/** Makes an AnswerKey. `text`: the owner, a space, and the key. */
export async function answerKeyOf(text: string): Promise<AnswerKey> {
  const hash = await crypto.subtle.digest("SHA-256", encoder.encode(text));
  return { hash, owner: text.split(" ", 1).join(), text };
}

export class KeptAnswers {
  readonly #sql: SqlStorage;
  readonly #tables: Tables;
  /** Whether the table of an older version exists; undefined until the first check. */
  #hasOlder: boolean | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#tables = new Tables(sql, SCHEMA, "keptOfOwner");
  }

  /** See Tables. */
  makeTables(): void {
    this.#tables.make();
  }

  /** The answer of a key, if it is not older than IDEMPOTENCY_KEPT_MS (D7). */
  find({ hash, text }: AnswerKey, { earlierMs }: CallClocks): KeptAnswer | undefined {
    const afterMs = earlierMs - IDEMPOTENCY_KEPT_MS;
    const byHash =
      'SELECT CAST(fromId AS TEXT) AS "from", count FROM kept WHERE hash = ? AND atMs > ?';
    const rows = this.#tables.exist() ? this.#sql.exec(byHash, hash, afterMs).toArray() : [];
    if (rows.length === 0 && this.#older()) {
      const byText =
        'SELECT fromId AS "from", count FROM answer WHERE idempotencyKey = ? AND atMs > ?';
      rows.push(...this.#sql.exec(byText, text, afterMs));
    }
    return rows.map((row) => v.parse(AnswerRow, row))[0];
  }

  /**
   * Keeps an answer for its key (D7). Deletes expired answers, and the oldest ones above IDEMPOTENCY_KEYS_MAX, or above
   * IDEMPOTENCY_KEYS_PER_OWNER_MAX for the owner.
   */
  keep({ hash, owner }: AnswerKey, { from, count }: KeptAnswer, clocks: CallClocks): void {
    const { earlierMs, laterMs } = clocks;
    const tooOldMs = earlierMs - IDEMPOTENCY_KEPT_MS;
    this.#restamp(laterMs);
    // `find` did not return this key's row, so the row is too old.
    this.#sql.exec("DELETE FROM kept WHERE hash = ?", hash);
    const inserted = this.#sql.exec(
      `INSERT INTO kept (hash, owner, ownerSeq, fromId, count, atMs) VALUES (
        ?1, ?2, (SELECT coalesce(max(ownerSeq), 0) + 1 FROM kept WHERE owner = ?2), CAST(?3 AS INTEGER), ?4, ?5
      ) RETURNING seq, ownerSeq`,
      hash,
      owner,
      `${from}`,
      count,
      laterMs,
    );
    const { seq, ownerSeq } = v.parse(PlaceRow, inserted.one());
    this.#sql.exec(
      `DELETE FROM kept WHERE seq IN (
        SELECT seq FROM (SELECT seq, atMs FROM kept ORDER BY seq LIMIT ${DELETED_AT_A_TIME})
        WHERE atMs <= ? OR seq <= ?
        UNION
        SELECT seq FROM (SELECT seq, ownerSeq FROM kept WHERE owner = ? ORDER BY ownerSeq LIMIT ${DELETED_AT_A_TIME})
        WHERE ownerSeq <= ?
      )`,
      tooOldMs,
      seq - IDEMPOTENCY_KEYS_MAX,
      owner,
      ownerSeq - IDEMPOTENCY_KEYS_PER_OWNER_MAX,
    );
    this.#dropOlder(tooOldMs);
  }

  /**
   * If the oldest answer has a later time than now, a clock was ahead when it was kept. All such answers get the
   * current time: otherwise they, and all answers after them, would stay until that later time.
   */
  #restamp(laterMs: number): void {
    const [row] = this.#sql.exec("SELECT atMs FROM kept ORDER BY seq LIMIT 1").toArray();
    if (!row || v.parse(AtRow, row).atMs <= laterMs) return;
    this.#sql.exec("UPDATE kept SET atMs = ? WHERE atMs > ?", laterMs, laterMs);
  }

  #older(): boolean {
    this.#hasOlder ??= hasTable(this.#sql, "answer");
    return this.#hasOlder;
  }

  /** Drops the table of an older version once its newest answer is too old. */
  #dropOlder(tooOldMs: number): void {
    if (!this.#older()) return;
    const [row] = this.#sql.exec("SELECT atMs FROM answer ORDER BY seq DESC LIMIT 1").toArray();
    if (row && v.parse(AtRow, row).atMs > tooOldMs) return;
    this.#sql.exec("DROP TABLE answer");
    this.#hasOlder = false;
  }
}
