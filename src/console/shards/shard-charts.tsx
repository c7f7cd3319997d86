import { useState } from "preact/hooks";
import { MEASURES } from "./measures.ts";
import { type History, samplesOf } from "./shard-history.ts";
import { TimeChart } from "./time-chart.tsx";

/** Spans of time to choose from, in ms, by their words. */
const SPANS = { "1 min": 60_000, "5 min": 300_000, "15 min": 900_000, "1 h": 3_600_000 } as const;
export type Span = keyof typeof SPANS;

/** A span that a person left; the usual one if it is unknown. */
export function spanIn(text: string | undefined): Span {
  return text !== undefined && isSpan(text) ? text : "1 min";
}

function isSpan(text: string): text is Span {
  return Object.hasOwn(SPANS, text);
}

const WORDS = Object.keys(SPANS).filter(isSpan);

/** The charts of a page of shards. */
export function ShardCharts(props: { history: History; span: Span; onSpan: (span: Span) => void }) {
  const { history, span, onSpan } = props;
  const [pointedMs, setPointedMs] = useState<number | undefined>(undefined);
  const spanMs = SPANS[span];
  const samples = samplesOf(history, spanMs);
  const { atMs: untilMs = performance.now() } = history;
  const period = { untilMs, spanMs, unixMs: Date.now() - performance.now() };
  return (
    <>
      <fieldset class="spans">
        <legend>The last</legend>
        {WORDS.map((words) => (
          <label key={words}>
            <input
              type="radio"
              name="span"
              checked={words === span}
              onChange={() => onSpan(words)}
            />
            <span>{words}</span>
          </label>
        ))}
      </fieldset>
      <div class="time-charts">
        {MEASURES.map((measure) => (
          <TimeChart
            key={measure.title}
            measure={measure}
            samples={samples}
            period={period}
            span={span}
            pointedMs={pointedMs}
            onPoint={setPointedMs}
          />
        ))}
      </div>
    </>
  );
}
