import { useLayoutEffect, useState } from "preact/hooks";
import { type Json, objectsOf } from "../api.ts";
import { figure } from "../figure.ts";
import { segmentFacts, segmentRows, segmentState } from "../segment-state.ts";
import { LOOKS_KEPT } from "../shard-history.ts";
import { FactTable } from "./fact-table.tsx";
import { Chart } from "./sparkline.tsx";

interface Rates {
  readonly atMs: number;
  readonly issued: number;
  /** Numbers per second, newest last. */
  readonly rates: readonly number[];
}

/** The status of a segment: its use, its step, and its last fetches. */
export function SegmentStatus({ answer, atMs }: { answer: Json; atMs: number }) {
  const [seen, setSeen] = useState<Rates | undefined>(undefined);
  const facts = segmentFacts(objectsOf(answer.shards)[0] ?? {});
  const { issued, fault } = facts;
  useLayoutEffect(() => {
    if (fault === "") setSeen((before) => look(before, issued, atMs));
  }, [answer]);
  const { level, words, advice } = segmentState(facts);
  if (fault !== "") {
    return (
      <p>
        <b class={level}>{words}</b> {advice}
      </p>
    );
  }
  return (
    <>
      <p>
        <b class={level}>{words}</b> {advice}
      </p>
      <div class="charts">
        <Chart
          title="numbers/s"
          value={figure(seen?.rates.at(-1) ?? 0)}
          values={seen?.rates ?? []}
        />
        <Chart
          title="step of the last fetches"
          value={figure(facts.last[0]?.width ?? facts.step)}
          values={facts.last.map(({ width }) => width).toReversed()}
        />
      </div>
      <FactTable caption="Segment" rows={segmentRows(facts)} />
    </>
  );
}

function look(before: Rates | undefined, issued: number, atMs: number): Rates {
  if (!before || atMs <= before.atMs) return { atMs, issued, rates: [] };
  const rate = (Math.max(0, issued - before.issued) * 1000) / (atMs - before.atMs);
  return { atMs, issued, rates: [...before.rates, rate].slice(-LOOKS_KEPT) };
}
