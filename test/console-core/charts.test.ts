/** The history of shards, and its charts. */
import { h } from "preact";
import { describe, expect, it } from "vitest";
import { type Period, shapeOf } from "../../src/console/shards/chart-shape.ts";
import { MEASURES, wordsOf } from "../../src/console/shards/measures.ts";
import { ShardCharts } from "../../src/console/shards/shard-charts.tsx";
import {
  GAP_MS,
  HISTORY_MS,
  keepLook,
  keptHistory,
  NO_HISTORY,
  nextHistory,
  POINTS_MAX,
  SAMPLES_MAX,
  type Sample,
  samplesOf,
} from "../../src/console/shards/shard-history.ts";
import { type ShardFacts, shardFacts } from "../../src/console/shards/shard-state.ts";
import { expectHarmless, htmlOf, wordsOf as textOf } from "./view.ts";

const LOOK_MS = 2000;
const [IDS, LEAD, WRITES, REJECTIONS] = MEASURES;
if (!(IDS && LEAD && WRITES && REJECTIONS)) throw new Error("a measure is missing");

function shard(counters: object, leadMs = 0, number = 0): ShardFacts {
  return shardFacts({
    shard: number,
    lanes: [{ leadMs, mark: 1 }],
    counters: { issued: 0, writes: 0, ...counters },
  });
}

/** A history of looks, each with that many IDs more. */
function historyOf(looks: number, everyMs = LOOK_MS, more = 100): typeof NO_HISTORY {
  let history = NO_HISTORY;
  for (let look = 0; look < looks; look += 1) {
    history = nextHistory(history, [shard({ issued: look * more })], look * everyMs);
  }
  return history;
}

function sampleOf(change: Partial<Sample>): Sample {
  return { fromMs: 0, untilMs: 2000, issued: 0, writes: 0, refused: 0, leadMs: 0, ...change };
}

describe("the history of shards", () => {
  it("has the growth of all counters between two looks", () => {
    const first = nextHistory(NO_HISTORY, [shard({ issued: 1000, writes: 4 })], 10_000);
    expect(first.samples).toEqual([]);
    expect(first.shards[0]?.rate).toBeUndefined();
    const refusals = { shard_saturated: 6 };
    const grown = [shard({ issued: 3000, writes: 6, refusals }, 7), shard({}, 0, 1)];
    const next = nextHistory(first, grown, 12_000);
    const [sample] = next.samples;
    expect(sample).toEqual({
      fromMs: 10_000,
      untilMs: 12_000,
      issued: 2000,
      writes: 2,
      refused: 6,
      leadMs: 7,
    });
    expect(MEASURES.map((one) => sample && one.of(sample))).toEqual([1000, 7, 1000, 3]);
    expect(next.shards[0]).toMatchObject({ rate: 1000, recent: refusals });
  });

  it("never falls, even if an object restarts", () => {
    const first = nextHistory(NO_HISTORY, [shard({ issued: 1000, refusals: { x: 5 } })], 0);
    const { samples } = nextHistory(first, [shard({ issued: 900, refusals: { x: 1 } })], LOOK_MS);
    expect(samples).toEqual([sampleOf({})]);
    expect(WRITES.of(sampleOf({}))).toBeUndefined();
  });

  it("ignores a second look at the same response", () => {
    const first = nextHistory(NO_HISTORY, [shard({})], 5);
    expect(nextHistory(first, [shard({ issued: 9 })], 5).samples).toEqual([]);
  });

  it("has a gap where nobody looked: no rate, and no refusal of that time counts as new", () => {
    const before = historyOf(3);
    const refusals = { shard_saturated: 9 };
    const later = (before.atMs ?? 0) + GAP_MS + 1;
    const back = nextHistory(before, [shard({ issued: 1e6, refusals })], later);
    expect(back.samples).toEqual(before.samples);
    expect(back.shards[0]).toMatchObject({ rate: undefined, recent: { shard_saturated: 0 } });
    const next = nextHistory(back, [shard({ issued: 1e6 + 100, refusals })], later + LOOK_MS);
    expect(next.samples.at(-1)).toMatchObject({ fromMs: later, issued: 100 });
    const { line } = shapeOf(IDS, next.samples, periodOf(next.atMs), { widthPx: 400, fontPx: 12 });
    expect(line.split("M").length - 1).toBe(2);
  });

  it("is bounded in time, in samples and in namespaces", () => {
    const slow = historyOf(400, 20_000);
    expect(slow.samples.length).toBe(HISTORY_MS / 20_000);
    expect(historyOf(SAMPLES_MAX + 10, 1).samples.length).toBe(SAMPLES_MAX);
    for (let name = 0; name < 9; name += 1) keepLook(`of ${name}`, [shard({})], 1);
    expect(keptHistory("of 0")).toEqual(NO_HISTORY);
    expect(keptHistory("of 8").atMs).toBe(1);
    // A section that is opened again continues.
    expect(keepLook("of 8", [shard({ issued: 9 })], 2001).samples.length).toBe(1);
  });

  it("is thinned for a long span: few points, no ID lost, the highest lead kept", () => {
    const history = { ...historyOf(SAMPLES_MAX), atMs: SAMPLES_MAX * LOOK_MS };
    const [first, ...rest] = history.samples;
    if (!first) throw new Error("no sample");
    const high = { ...history, samples: [{ ...first, leadMs: 77 }, ...rest] };
    const hour = samplesOf(high, HISTORY_MS);
    expect(hour.length).toBeLessThanOrEqual(POINTS_MAX + 1);
    expect(hour.reduce((sum, { issued }) => sum + issued, 0)).toBe((SAMPLES_MAX - 1) * 100);
    expect(Math.max(...hour.map(({ leadMs }) => leadMs))).toBe(77);
    for (const one of hour) expect(IDS.of(one)).toBe(50);
    expect(samplesOf(high, 60_000).length).toBe(30 - 1);
  });
});

function periodOf(untilMs = 0, spanMs = 60_000): Period {
  return { untilMs, spanMs, unixMs: 0 };
}

describe("a chart", () => {
  const shape = (measure: typeof IDS, samples: readonly Sample[], spanMs = 60_000) =>
    shapeOf(measure, samples, periodOf(3_600_000, spanMs), { widthPx: 480, fontPx: 12 });
  const labels = (measure: typeof IDS, samples: readonly Sample[]) =>
    shape(measure, samples).values.map(({ text }) => text);

  it("has values with units, from 0 to above the highest", () => {
    expect(labels(IDS, [sampleOf({ issued: 5000 })])).toEqual([
      "0/s",
      "1,000/s",
      "2,000/s",
      "3,000/s",
    ]);
    expect(labels(IDS, [sampleOf({ issued: 2e6 })]).at(-1)).toBe("1M/s");
    expect(labels(LEAD, [])).toEqual(["0 ms", "5 ms", "10 ms"]);
    expect(labels(LEAD, [sampleOf({ leadMs: 1500 })])).toEqual(["0 s", "0.5 s", "1 s", "1.5 s"]);
    expect(labels(LEAD, [sampleOf({ leadMs: 3_000_000 })]).at(-1)).toBe("60 min");
    expect(labels(REJECTIONS, [])).toEqual(["0/s", "0.5/s", "1/s"]);
  });

  it.each([60_000, 300_000, 900_000, 3_600_000])(
    "has times that do not overlap, also in a narrow window: %d ms",
    (spanMs) => {
      for (const widthPx of [330, 480, 1500]) {
        const { times } = shapeOf(IDS, [], periodOf(3_600_000, spanMs), { widthPx, fontPx: 12 });
        expect(times.length).toBeGreaterThan(1);
        for (const [place, { px, text }] of times.entries()) {
          expect(text).toMatch(spanMs === 60_000 ? /^\d\d:\d\d:\d\d$/ : /^\d\d:\d\d$/);
          const next = times[place + 1];
          if (next) expect(next.px - px).toBeGreaterThan(text.length * 7);
        }
      }
    },
  );

  it("draws a lone sample, and nothing without samples", () => {
    expect(shape(IDS, []).line).toBe("");
    expect(shape(IDS, [sampleOf({ untilMs: 3_600_000 })]).line).toMatch(/^M[\d.,]+h0$/);
  });

  it("says its current, lowest and highest value with units", () => {
    const samples = [2500, 0, 1500].map((leadMs) => sampleOf({ leadMs }));
    expect(wordsOf(LEAD, samples, "5 min")).toBe(
      "Largest lead in the last 5 min: now 1.5 s, lowest 0 ms, highest 2.5 s",
    );
    expect(wordsOf(IDS, [], "5 min")).toBe("IDs per second: no values yet");
    expect(wordsOf(WRITES, [sampleOf({ issued: 100, writes: 1 }), sampleOf({})], "1 h")).toBe(
      "Writes per million IDs in the last 1 h: now none, lowest 10,000/M, highest 10,000/M",
    );
  });

  it("exists for each measure, before the first value too, with the span to choose", () => {
    const onSpan = () => undefined;
    const shown = (history: typeof NO_HISTORY) =>
      htmlOf(h(ShardCharts, { history, span: "1 min", onSpan }));
    expect(shown(NO_HISTORY).match(/role="img"/g)?.length).toBe(4);
    const html = shown(historyOf(3));
    expect(textOf(html)).toMatch(/1 min 5 min 15 min 1 h .*IDs per second 50\/s now/);
    expect(html).toContain("IDs per second in the last 1 min: now 50/s, lowest 50/s, highest 50/s");
    expectHarmless(html);
  });
});
