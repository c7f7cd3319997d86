const WIDTH = 120;
const HEIGHT = 24;

/** The last values as a small line, from 0 to the highest. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, place) => {
    const y = HEIGHT - 1 - (value / most) * (HEIGHT - 2);
    return `${(place * step).toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
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

/** A value as it is now, and how it was. */
export function Chart(props: { title: string; value: string; values: readonly number[] }) {
  const { title, value, values } = props;
  return (
    <div class="chart">
      <span>{title}</span> <b>{value}</b>
      <Sparkline values={values} label={`${title}, the last ${values.length} looks`} />
    </div>
  );
}
