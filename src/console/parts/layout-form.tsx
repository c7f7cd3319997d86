import { useState } from "hono/jsx/dom";
import { parseInstant } from "../../core/instant.ts";
import type { LayoutSpec } from "../../core/layout.ts";
import { LANE_BITS_MAX, POSITION_BITS_MAX, WORKER_BITS_MAX } from "../../core/limits.ts";
import { PRESETS } from "../../core/presets.ts";
import { Choice, Slider, TextField } from "./field.tsx";
import { One } from "./one.tsx";
import { Problem } from "./problem.tsx";

/** The widths that can be set, and how far. */
const WIDTHS = [
  ["timestampBits", "Timestamp bits", 1, POSITION_BITS_MAX],
  ["datacenterBits", "Datacenter bits", 0, WORKER_BITS_MAX],
  ["workerBits", "Worker bits", 0, WORKER_BITS_MAX],
  ["laneBits", "Lane bits", 0, LANE_BITS_MAX],
  ["sequenceBits", "Sequence bits", 0, POSITION_BITS_MAX - 1],
] as const;

const TICKS = [
  ["1", "1 ms"],
  ["10", "10 ms"],
  ["1000", "1 s"],
] as const;

const PROBLEM_ID = "epoch-problem";
const DAY_MS = 86_400_000;
/** Where the slider of epochs ends: 2040. Others are typed in. */
const SLIDER_DAYS = 25_567;

/** Sets every part of a layout; also such as cannot be. */
export function LayoutForm(props: {
  spec: LayoutSpec;
  onChange: (part: Partial<LayoutSpec>) => void;
}) {
  const { spec, onChange } = props;
  const presets = [...PRESETS.keys()].map((name) => [name, name] as const);
  return (
    <form class="sliders" onSubmit={(event: Event) => event.preventDefault()}>
      <Choice
        label="Begin with"
        value=""
        options={[["", "…"], ...presets]}
        onValue={(name) => {
          const preset = PRESETS.get(name);
          // What a preset leaves out is at its default.
          if (preset) onChange({ lanePlace: "belowWorker", laneUse: "always", ...preset.spec });
        }}
      />
      <Epoch epochMs={spec.epochMs} onValue={(epochMs) => onChange({ epochMs })} />
      <Choice
        label="Tick"
        value={`${spec.tickMs}`}
        options={TICKS}
        onValue={(tick) => onChange({ tickMs: Number(tick) })}
      />
      {WIDTHS.map(([name, label, least, most]) => (
        <Slider
          key={name}
          label={label}
          value={spec[name]}
          said={`${spec[name]}`}
          least={least}
          most={most}
          onValue={(bits) => onChange({ [name]: bits })}
        />
      ))}
      {spec.laneBits > 0 && <Lanes spec={spec} onChange={onChange} />}
    </form>
  );
}

function Lanes(props: { spec: LayoutSpec; onChange: (part: Partial<LayoutSpec>) => void }) {
  const { spec, onChange } = props;
  return (
    <>
      <Choice
        label="Lane’s place"
        value={spec.lanePlace ?? "belowWorker"}
        options={[
          ["belowWorker", "below the worker"],
          ["aboveWorker", "above the worker"],
        ]}
        onValue={(place) => {
          const lanePlace = place === "aboveWorker" ? "aboveWorker" : "belowWorker";
          onChange({ lanePlace });
        }}
      />
      <Choice
        label="A further lane is used"
        value={spec.laneUse ?? "always"}
        options={[
          ["always", "when one is used up or behind"],
          ["back", "only when the clock went back"],
        ]}
        onValue={(use) => onChange({ laneUse: use === "back" ? "back" : "always" })}
      />
    </>
  );
}

function Epoch(props: { epochMs: number; onValue: (epochMs: number) => void }) {
  const { epochMs, onValue } = props;
  // What is typed stands as it is typed, until the epoch is set in another way.
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const isStanding = typed !== undefined && [undefined, epochMs].includes(parseInstant(typed));
  const text = isStanding ? typed : shortTime(epochMs);
  const isWrong = parseInstant(text) === undefined;
  return (
    <One>
      <div class="epoch">
        <TextField
          label="Epoch (UTC, or unix ms)"
          value={text}
          problem={isWrong ? PROBLEM_ID : undefined}
          onValue={(next) => {
            setTyped(next);
            const nextMs = parseInstant(next.trim());
            if (nextMs !== undefined) onValue(nextMs);
          }}
        />
        {isWrong && (
          <Problem
            id={PROBLEM_ID}
            error="An epoch is unix ms, or such as 2026-01-31 or 2026-01-31T12:00Z."
          />
        )}
      </div>
      <Slider
        label="Epoch’s day"
        value={Math.min(SLIDER_DAYS, Math.floor(epochMs / DAY_MS))}
        said={new Date(epochMs).toISOString().slice(0, 10)}
        least={0}
        most={SLIDER_DAYS}
        onValue={(day) => {
          setTyped(undefined);
          onValue(day * DAY_MS);
        }}
      />
    </One>
  );
}

/** Without a time of day where that is midnight. */
function shortTime(unixMs: number): string {
  return new Date(unixMs).toISOString().replace("T00:00:00.000Z", "");
}
