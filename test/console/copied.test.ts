/** What the console gives to copy does what it says: run in a shell, in Node and in SQLite. Needs `npm run build` before. */
import { execFile } from "node:child_process";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { decode, type Encoding } from "../../src/core/codec.ts";
import { compose, decompose, maxIdOf } from "../../src/core/id.ts";
import { tickAt, tickStartMs } from "../../src/core/layout.ts";
import { presetOf } from "../core/vectors.ts";
import { TestBrowser } from "./browser.ts";
import { cell, eventually } from "./pages.ts";
import { ADMIN_KEY, TestService } from "./service.ts";

const run = promisify(execFile);
const open = TestService.ofFile("open");
const closed = TestService.ofFile("keys");
const browser = TestBrowser.ofFile();

/** Longer than a shell, or a Node with the client, takes. */
const RUN_MAX_MS = 20_000;

async function copied(page: Page, what: string): Promise<string> {
  await page.getByRole("button", { name: `Copy ${what}`, exact: true }).click();
  return await page.evaluate(() => navigator.clipboard.readText());
}

/** Runs the curl line as it is; the key comes from the environment. */
async function shell(line: string): Promise<{ ids: (string | number)[] }> {
  const env = { PATH: process.env.PATH, KEY: ADMIN_KEY };
  const options = { env, timeout: RUN_MAX_MS };
  const { stdout } = await run(
    "bash",
    ["-c", line.replace("curl", "curl -s --noproxy '*'")],
    options,
  );
  return JSON.parse(stdout);
}

/** Runs the client's lines in a Node of their own, with the client that was built. */
async function client(lines: string): Promise<string[]> {
  const built = path.join(import.meta.dirname, "../../dist/client/edgeflake.js");
  const program = lines
    .replace('"edgeflake/client"', JSON.stringify(built))
    .replace("await ids", "const got = await ids");
  const script = `${program}\nconsole.log(JSON.stringify([got].flat()));`;
  const options = { env: { KEY: ADMIN_KEY }, timeout: RUN_MAX_MS };
  const args = ["--input-type=module", "-e", script];
  const { stdout } = await run(process.execPath, args, options);
  return JSON.parse(stdout);
}

const KEY_TEXT = `o'Brien "17" & $HOME \`id\` \\ ü💡`;

describe.each([
  ["open", open],
  ["keys", closed],
] as const)("with ACCESS=%s", (access, service) => {
  it.each([
    ["default", "1", "decimal", ""],
    ["twitter", "3", "base58", KEY_TEXT],
    ["js53", "3", "number", ""],
    ["segment", "2", "hex", ""],
  ] as const)("%s, %s as %s: the lines get the like", async (name, count, encoding, key) => {
    const view = access === "keys" ? { key: ADMIN_KEY } : {};
    const page = await browser.open(`${service.url}/#/get/${name}`, view);
    await page.getByLabel("Count").fill(count);
    await page.getByLabel("Encoding").selectOption(encoding);
    await page.getByLabel("Key (its").fill(key);
    await page.getByRole("button", { name: "Get", exact: true }).click();
    await eventually(async () => expect(await page.locator(".ids a").count()).toBe(Number(count)));
    const shown = await page.locator(".ids a").allInnerTexts();
    expect(await copied(page, "all IDs, one a line")).toBe(shown.join("\n"));

    const { ids } = await shell(await copied(page, "the curl line"));
    const isNumber = encoding === "number";
    expect(ids.map((id) => typeof id)).toEqual(shown.map(() => (isNumber ? "number" : "string")));
    const told = await client(await copied(page, "the client line"));
    const one = encoding === "number" ? "decimal" : encoding;
    const read = (text: string, as: Encoding): bigint => decode(text, as) ?? -1n;
    const inTurn = [
      ...shown.map((text) => read(text, one)),
      ...ids.map((id) => read(`${id}`, one)),
      ...told.map((text) => read(text, "decimal")),
    ];
    expect(inTurn.length).toBe(3 * Number(count));
    expect(inTurn.every((id) => id >= 0n)).toBe(true);
    expect(new Set(inTurn).size).toBe(inTurn.length);
    if (key !== "") {
      // One key: one shard, and its IDs increase from line to line.
      const { layout } = presetOf(name);
      expect(new Set(inTurn.map((id) => decompose(layout, id)?.shard)).size).toBe(1);
      expect(inTurn).toEqual(inTurn.toSorted((a, b) => (a < b ? -1 : 1)));
    }
  });
});

describe("the SQL condition", () => {
  it.each([
    ["twitter", "2026-01-31T12:00+01:00", "2026-02-01", "2026-01-31T11:00:00Z"],
    ["twitter", "1970-01-01", "2010-11-04T01:42:54.660Z", "2010-11-04T01:42:54.657Z"],
    ["twitter", "2080-07-10T17:30:30.207Z", "2100-01-01", "2080-07-10T17:30:30.207Z"],
    ["js53", " 1546300800001 ", "1546300802001", "2019-01-01T00:00:01Z"],
    ["node", "2026-01-31T12:00:00.0001", "2026-01-31T12:00:00.003", "2026-01-31T12:00:00.001Z"],
  ] as const)(
    "%s, %s to %s: selects the IDs of that time, and no others",
    async (name, from, until, firstTime) => {
      const page = await browser.open(`${open.url}/#/range/${name}`);
      await page.getByLabel("From").fill(from);
      await page.getByLabel("Until").fill(until);
      const first = BigInt(await cell(page, "first"));
      const last = BigInt(await cell(page, "last"));
      const condition = await copied(page, "the SQL condition");

      const { layout } = presetOf(name);
      const { tickCount, sequenceCount, workerCount, laneCount } = layout;
      const ticks = [first, last].map((id) => decompose(layout, id)?.tick ?? -1);
      expect(new Date(tickStartMs(layout, ticks[0] ?? -1)).toISOString()).toBe(
        new Date(firstTime).toISOString(),
      );
      const database = new DatabaseSync(":memory:");
      database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, tick INTEGER)");
      const insert = database.prepare("INSERT OR IGNORE INTO t VALUES (?, ?)");
      const near = ticks.flatMap((tick) => [-2, -1, 0, 1, 2].map((by) => tick + by));
      for (const tick of [0, tickCount - 1, ...near]) {
        if (tick < 0 || tick >= tickCount) continue;
        for (const shard of [0, workerCount - 1]) {
          for (const lane of new Set([0, laneCount - 1])) {
            for (const sequence of [0, sequenceCount - 1]) {
              insert.run(compose(layout, { tick, shard, lane, sequence }), tick);
            }
          }
        }
      }
      insert.run(maxIdOf(layout), tickCount - 1);
      const selected = database.prepare(`SELECT tick FROM t ${condition}`).all();
      const [untilMs, fromMs] = [until, from].map((text) => instant(text));
      const expected = database
        .prepare("SELECT tick FROM t")
        .all()
        .filter(({ tick }) => {
          const unixMs = layout.epochMs + Number(tick) * layout.tickMs;
          return unixMs >= (fromMs ?? 0) && unixMs < (untilMs ?? 0);
        });
      expect(selected.length).toBe(expected.length);
      expect(selected.length).toBeGreaterThan(0);
      expect(selected).toEqual(expected);
      expect(ticks[1]).toBeLessThan(Math.min(tickCount, tickAt(layout, untilMs ?? 0) + 1));
    },
  );
});

/** Not as the product reads it: Date takes all of these but those without an offset as UTC, with fractions of a ms cut. */
function instant(text: string): number {
  if (/^\s*\d+\s*$/.test(text)) return Number(text);
  const hasOffset = /Z|\+\d\d:\d\d$/.test(text);
  const fraction = /\.\d{3}(\d+)/.exec(text)?.[1] ?? "0";
  const unixMs = Date.parse(hasOffset || !text.includes("T") ? text : `${text}Z`);
  return unixMs + Number(`0.${fraction}`);
}
