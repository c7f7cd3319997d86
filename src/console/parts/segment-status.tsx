import { useLayoutEffect, useState } from "preact/hooks";
import { type Json, objectsOf } from "../api.ts";
import { figure } from "../figure.ts";
import {
  type Sample,
  segmentFacts,
  segmentRows,
  segmentState,
  timeLeft,
} from "../segment-state.ts";
import { LOOKS_KEPT } from "../shard-history.ts";
import { FactTable } from "./fact-table.tsx";
import { Chart } from "./sparkline.tsx";

interface Look extends Sample {
  readonly issued: number;
}

interface Looks {
  /** Newest last. */
  readonly kept: readonly Look[];
  /** Issued numbers per second, newest last. */
  readonly rates: readonly number[];
}

const NO_LOOKS: Looks = { kept: [], rates: [] };

/** The status of a segment: its use, its step, and its last fetches. */
export function SegmentStatus({ answer, atMs }: { answer: Json; atMs: number }) {
  const [seen, setSeen] = useState(NO_LOOKS);
  const facts = segmentFacts(objectsOf(answer.shards)[0] ?? {});
  const { issued, nextNumber, fault } = facts;
  useLayoutEffect(() => {
    if (fault === "") setSeen((before) => nextLooks(before, { atMs, issued, nextNumber }));
  }, [answer]);
  const { level, words, advice } = segmentState(facts);
  if (fault !== "") {
    return (
      <p>
        <b class={level}>{words}</b> {advice}
      </p>
    );
  }
  const now = { atMs, nextNumber };
  const left = timeLeft(facts, seen.kept[0] ?? now, seen.kept.at(-1) ?? now);
  return (
    <>
      <p>
        <b class={level}>{words}</b> {advice}
      </p>
      <div class="charts">
        <Chart title="numbers/s" value={figure(seen.rates.at(-1) ?? 0)} values={seen.rates} />
        <Chart
          title="step of the last fetches"
          value={figure(facts.last[0]?.width ?? facts.step)}
          values={facts.last.map(({ width }) => width).toReversed()}
        />
      </div>
      <FactTable caption="Segment" rows={segmentRows(facts, left)} />
    </>
  );
}

/** Counting starts anew after a step back of the counters, as after a restart. */
function nextLooks({ kept, rates }: Looks, look: Look): Looks {
  const last = kept.at(-1);
  if (!last || look.atMs <= last.atMs || look.nextNumber < last.nextNumber) {
    return { kept: [look], rates: [] };
  }
  const rate = (Math.max(0, look.issued - last.issued) * 1000) / (look.atMs - last.atMs);
  return {
    kept: [...kept, look].slice(-LOOKS_KEPT),
    rates: [...rates, rate].slice(-LOOKS_KEPT),
  };
}
