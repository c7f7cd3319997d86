/** The SQL condition that Range gives, run in SQLite. */
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { compose, decompose, maxIdOf } from "../../src/core/layout/id.ts";
import { tickStartMs } from "../../src/core/layout/layout.ts";
import { presetOf } from "../core/vectors.ts";
import { cellOf, pageAt } from "./view.ts";

describe("the SQL condition", () => {
  it.each([
    ["twitter", "2026-01-31T12:00+01:00", "2026-02-01", "2026-01-31T11:00:00Z"],
    ["twitter", "1970-01-01", "2010-11-04T01:42:54.660Z", "2010-11-04T01:42:54.657Z"],
    ["twitter", "2080-07-10T17:30:30.207Z", "2100-01-01", "2080-07-10T17:30:30.207Z"],
    ["js53", " 1546300800001 ", "1546300802001", "2019-01-01T00:00:01Z"],
    ["node", "2026-01-31T12:00:00.0001", "2026-01-31T12:00:00.003", "2026-01-31T12:00:00.001Z"],
  ] as const)(
    "%s, %s to %s: selects exactly the IDs of that time",
    (name, from, until, firstTime) => {
      const html = pageAt(`#/range/${name}?${new URLSearchParams({ from, until })}`);
      const ends = [cellOf(html, "first"), cellOf(html, "last")].map(BigInt);
      const { layout } = presetOf(name);
      const ticks = ends.map((id) => decompose(layout, id)?.tick ?? -1);
      expect(tickStartMs(layout, ticks[0] ?? -1)).toBe(Date.parse(firstTime));
      const all = idsAt(name, ticks);
      const database = new DatabaseSync(":memory:");
      database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, tick INTEGER)");
      const insert = database.prepare("INSERT OR IGNORE INTO t VALUES (?, ?)");
      for (const [id, tick] of all) insert.run(id, tick);
      const ticksOf = (condition: string) =>
        database
          .prepare(`SELECT tick FROM t ${condition}`)
          .all()
          .map(({ tick }) => Number(tick));
      const expected = ticksOf("").filter((tick) => {
        const unixMs = layout.epochMs + tick * layout.tickMs;
        return unixMs >= instant(from) && unixMs < instant(until);
      });
      expect(expected.length).toBeGreaterThan(0);
      expect(ticksOf(cellOf(html, "SQL"))).toEqual(expected);
    },
  );
});

/** The outermost IDs of the layout, of those ticks and of the ticks beside them. */
function idsAt(name: string, ticks: readonly number[]): [id: bigint, tick: number][] {
  const { layout } = presetOf(name);
  const { tickCount, sequenceCount, workerCount, laneCount } = layout;
  const near = ticks.flatMap((tick) => [-2, -1, 0, 1, 2].map((by) => tick + by));
  const ids: [bigint, number][] = [[maxIdOf(layout), tickCount - 1]];
  for (const tick of [0, tickCount - 1, ...near]) {
    if (tick < 0 || tick >= tickCount) continue;
    for (const shard of [0, workerCount - 1]) {
      for (const lane of [0, laneCount - 1]) {
        for (const sequence of [0, sequenceCount - 1]) {
          ids.push([compose(layout, { tick, shard, lane, sequence }), tick]);
        }
      }
    }
  }
  return ids;
}

/** Not as the product reads it: Date takes all of these except those without an offset as UTC, and cuts fractions of a ms. */
function instant(text: string): number {
  if (/^\s*\d+\s*$/.test(text)) return Number(text);
  const hasOffset = /Z|\+\d\d:\d\d$/.test(text);
  const fraction = /\.\d{3}(\d+)/.exec(text)?.[1] ?? "0";
  const unixMs = Date.parse(hasOffset || !text.includes("T") ? text : `${text}Z`);
  return unixMs + Number(`0.${fraction}`);
}
