import { figure } from "../figure.ts";

const WIDTH = 120;
const HEIGHT = 24;

/** Values as a small line chart from 0 to the highest, and in words. `say`: formats a value. */
export function Sparkline(props: {
  values: readonly number[];
  label: string;
  say?: (value: number) => string;
}) {
  const { values, label, say = figure } = props;
  const most = Math.max(1, ...values);
  // A line needs two points.
  const shown = values.length === 1 ? [...values, ...values] : values;
  const step = WIDTH / Math.max(1, shown.length - 1);
  const points = shown.map((value, place) => {
    const y = HEIGHT - 1 - (value / most) * (HEIGHT - 2);
    return `${(place * step).toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${wordsOf(values, say)}`}
    >
      <polyline
        points={points.join(" ")}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        vector-effect="non-scaling-stroke"
      />
    </svg>
  );
}

function wordsOf(values: readonly number[], say: (value: number) => string): string {
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return "nothing yet";
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const times = values.length === 1 ? "one value" : `${values.length} values`;
  return `${times} from ${say(first)} to ${say(last)}, the lowest ${say(least)}, the highest ${say(most)}`;
}

/** The current value, with a chart of the past. */
export function Chart(props: {
  title: string;
  value: string;
  values: readonly number[];
  say?: (value: number) => string;
}) {
  const { title, value, values, say } = props;
  return (
    <div class="chart">
      <span>{title}</span> <b>{value}</b>
      <Sparkline values={values} label={title} {...(say && { say })} />
    </div>
  );
}
