import { useLayoutEffect, useState } from "preact/hooks";
import { type Json, objectsOf } from "../api.ts";
import { FactTable } from "../parts/fact-table.tsx";
import { type Sample, segmentFacts, segmentRows, segmentState, usedOf } from "./segment-state.ts";

/** Samples to keep: two minutes, at one every 2 s. */
const SAMPLES_KEPT = 60;

/** The status of a segment: how much of it is used, how fast, and its last fetches. */
export function SegmentStatus({ answer, atMs }: { answer: Json; atMs: number }) {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const facts = segmentFacts(objectsOf(answer.shards)[0] ?? {});
  const { nextNumber, fault } = facts;
  useLayoutEffect(() => {
    if (fault === "") setSamples((before) => nextSamples(before, { atMs, nextNumber }));
  }, [answer]);
  const { level, words, advice } = segmentState(facts);
  return (
    <>
      <p>
        <b class={level}>{words}</b> {advice}
      </p>
      {fault === "" && (
        <>
          <progress class="use" value={usedOf(facts)} aria-label="Used part of the numbers" />
          <FactTable caption="Segment" rows={segmentRows(facts, samples)} />
        </>
      )}
    </>
  );
}

/** Begins anew if the numbers went back: then it is another segment. */
function nextSamples(before: readonly Sample[], next: Sample): readonly Sample[] {
  const last = before.at(-1);
  const isNew = !last || next.atMs <= last.atMs || next.nextNumber < last.nextNumber;
  return isNew ? [next] : [...before, next].slice(-SAMPLES_KEPT);
}
