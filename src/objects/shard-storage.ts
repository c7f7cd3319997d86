/**
 * The tables of a shard in SQLite, made by its first mark.
 *
 *   layout (id = 0, fingerprint)  one row, written with the first mark: the layout of all IDs of this shard.
 *   lane   (lane, mark, counters) one row per lane. No position at or above `mark` was ever granted.
 *
 * Marks are at most 2^53, the end of the longest line, so a JS number holds them exactly.
 */
import * as v from "valibot";
import type { Layout } from "../core/layout/layout.ts";
import { POSITION_BITS_MAX } from "../core/limits.ts";
import type { Raise } from "../core/line/line.ts";
import { Tables } from "./tables.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS layout (id INTEGER PRIMARY KEY CHECK (id = 0), fingerprint TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS lane (lane INTEGER PRIMARY KEY, mark INTEGER NOT NULL, counters TEXT NOT NULL);
`;

const LaneRow = v.object({
  lane: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  mark: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** POSITION_BITS_MAX)),
  counters: v.string(),
});
const LayoutRow = v.object({ fingerprint: v.string() });

export class ShardStorage {
  readonly #sql: SqlStorage;
  readonly #tables: Tables;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#tables = new Tables(sql, SCHEMA, "lane");
  }

  /** The stored layout's fingerprint; undefined before the first mark. */
  fingerprint(): string | undefined {
    if (!this.#tables.exist()) return undefined;
    const rows = this.#sql.exec("SELECT fingerprint FROM layout").toArray();
    return rows.map((row) => v.parse(LayoutRow, row).fingerprint)[0];
  }

  /** The marks of a layout's lanes (0 if none is stored), and the counters stored with them. */
  line({ laneCount, lineEnd }: Layout): { marks: number[]; counters: string[] } {
    const marks = Array.from({ length: laneCount }, () => 0);
    const counters: string[] = [];
    if (!this.#tables.exist()) return { marks, counters };
    const rows = this.#sql.exec("SELECT lane, mark, counters FROM lane ORDER BY lane").toArray();
    for (const row of rows) {
      const { lane, mark, counters: text } = v.parse(LaneRow, row);
      if (lane >= laneCount || mark > lineEnd) {
        throw new RangeError(`stored mark ${mark} of lane ${lane} is not on this layout's line`);
      }
      marks[lane] = mark;
      counters.push(text);
    }
    return { marks, counters };
  }

  /** Whether `mark` is the stored mark of a lane; the stored mark is 0 before the first write. */
  holds(lane: number, mark: number): boolean {
    const [row] = this.#sql.exec("SELECT mark FROM lane WHERE lane = ?", lane).toArray();
    return (row?.mark ?? 0) === mark;
  }

  /** Stores the layout if none is stored. Returns false if another layout is stored. */
  claim(fingerprint: string): boolean {
    this.#tables.make();
    this.#sql.exec("INSERT OR IGNORE INTO layout (id, fingerprint) VALUES (0, ?)", fingerprint);
    return this.fingerprint() === fingerprint;
  }

  /**
   * Moves a lane's mark by compare-and-set, and stores the counters with it. `from` is 0 for the first mark, which has
   * no row yet. Returns false if the stored mark differs from `from`: another instance has taken over.
   */
  raise({ lane, from, to }: Raise, counters: string): boolean {
    const { rowsWritten } =
      from === 0
        ? this.#sql.exec(
            "INSERT OR IGNORE INTO lane (lane, mark, counters) VALUES (?, ?, ?)",
            lane,
            to,
            counters,
          )
        : this.#sql.exec(
            "UPDATE lane SET mark = ?, counters = ? WHERE lane = ? AND mark = ?",
            to,
            counters,
            lane,
            from,
          );
    return rowsWritten > 0;
  }
}
