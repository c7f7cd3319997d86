import { useLayoutEffect, useState } from "preact/hooks";
import { DATE_MS_MAX } from "../../core/limits.ts";
import { relativeTime } from "../relative-time.ts";

const SECOND_MS = 1000;

/** A time in UTC, in the browser's time zone, and relative to now, updated each second. */
export function Time({ unixMs }: { unixMs: number }) {
  const [nowMs, setNowMs] = useState(() => Date.now());
  // A layout effect: a later one might start after the component is gone, and never end.
  useLayoutEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  // JavaScript dates end there; layouts may not.
  if (unixMs > DATE_MS_MAX) return <b>past the year 275760</b>;
  const time = new Date(unixMs);
  const [day, rest] = time.toISOString().split(/(?=T)/);
  return (
    <span>
      <b>
        <span class="whole">{day}</span>
        <wbr />
        <span class="whole">{rest}</span>
      </b>{" "}
      UTC
      <br />
      {LOCAL.format(time)}, {relativeTime(unixMs, nowMs)}
    </span>
  );
}

const LOCAL = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  timeZoneName: "short",
});
