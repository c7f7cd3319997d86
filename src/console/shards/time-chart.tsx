import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Period, type Shape, type Size, shapeOf, timeText } from "./chart-shape.ts";
import { amountAt, type Measure, wordsOf } from "./measures.ts";
import type { Sample } from "./shard-history.ts";

/** Before the page is measured. */
const USUAL: Size = { widthPx: 480, fontPx: 12 };

/**
 * A measure over time, with axes. Its colours come from the style sheet. `pointedMs`: the time that the pointer is at,
 * in any of the charts that share it.
 */
export function TimeChart(props: {
  measure: Measure;
  /** Oldest first. */
  samples: readonly Sample[];
  period: Period;
  /** The span in words. */
  span: string;
  pointedMs: number | undefined;
  onPoint: (atMs: number | undefined) => void;
}) {
  const { measure, samples, period, span, pointedMs, onPoint } = props;
  const svg = useRef<SVGSVGElement>(null);
  const shape = shapeOf(measure, samples, period, useSize(svg));
  const pointed = pointedMs === undefined ? undefined : nearest(samples, pointedMs);
  const point = (event: PointerEvent): void => {
    const left = svg.current?.getBoundingClientRect().left ?? 0;
    onPoint(shape.timeAt(event.clientX - left));
  };
  return (
    <figure class="time-chart" onPointerMove={point} onPointerLeave={() => onPoint(undefined)}>
      <figcaption>
        <span>{measure.title}</span>
        <span>
          <b>{amountAt(measure, pointed ?? samples.at(-1))}</b>{" "}
          {pointed ? `at ${timeText(0)(pointed.untilMs + period.unixMs)}` : "now"}
        </span>
      </figcaption>
      <svg
        ref={svg}
        viewBox={`0 0 ${shape.widthPx} ${shape.heightPx}`}
        role="img"
        aria-label={wordsOf(measure, samples, span)}
      >
        <Axes shape={shape} />
        <path class="area" d={shape.area} />
        <path class="line" d={shape.line} />
        {pointed && <Pointed shape={shape} sample={pointed} />}
      </svg>
    </figure>
  );
}

function Axes({ shape }: { shape: Shape }) {
  const { leftPx, rightPx, basePx, heightPx, fontPx, values, times } = shape;
  return (
    <>
      {values.map(({ px, text }) => (
        <g key={text}>
          <line class="grid" x1={leftPx} x2={rightPx} y1={px} y2={px} />
          <text x={leftPx - fontPx / 2} y={px} dy="0.35em" text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      {times.map(({ px, text }) => (
        <g key={text}>
          <line class="grid" x1={px} x2={px} y1={basePx} y2={basePx + fontPx / 3} />
          <text x={px} y={heightPx - fontPx / 2} text-anchor="middle">
            {text}
          </text>
        </g>
      ))}
    </>
  );
}

function Pointed({ shape, sample }: { shape: Shape; sample: Sample }) {
  const { x, y } = shape.placeOf(sample);
  return (
    <>
      <line class="grid" x1={x} x2={x} y1={shape.topPx} y2={shape.basePx} />
      {y !== undefined && <circle class="point" cx={x} cy={y} r={shape.fontPx / 4} />}
    </>
  );
}

function nearest(samples: readonly Sample[], atMs: number): Sample | undefined {
  let best: Sample | undefined;
  const away = ({ untilMs }: Sample): number => Math.abs(untilMs - atMs);
  for (const one of samples) if (!best || away(one) < away(best)) best = one;
  return best;
}

/** The width of an element and the size of its text, also after they change. */
function useSize(of: RefObject<SVGSVGElement | null>): Size {
  const [size, setSize] = useState(USUAL);
  useLayoutEffect(() => {
    const element = of.current;
    if (!element) return;
    const measure = (): void => {
      const widthPx = element.getBoundingClientRect().width;
      const fontPx = Number.parseFloat(getComputedStyle(element).fontSize);
      if (widthPx > 0) setSize({ widthPx, fontPx });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return size;
}
