import { useState } from "preact/hooks";
import { parseInstant } from "../../core/instant.ts";
import { LAYOUT_FIELDS, WIDTHS } from "../../core/layout/fields.ts";
import type { LayoutSpec } from "../../core/layout/layout.ts";
import { PRESETS } from "../../core/layout/presets.ts";
import { Choice, Slider, TextField } from "../parts/field.tsx";
import { Problem } from "../parts/problem.tsx";
import { PUBLISHED } from "./published.ts";

const TICKS = [
  ["1", "1 ms"],
  ["10", "10 ms"],
  ["1000", "1 s"],
] as const;

/** Layouts to begin with, by name. */
const KNOWN = [
  ...[...PRESETS].map(([name, { spec }]) => [name, spec] as const),
  ...PUBLISHED,
] as const;

const PROBLEM_ID = "epoch-problem";
const DAY_MS = 86_400_000;
/** The end of the epoch slider: 2040. Later epochs can be typed. */
const SLIDER_DAYS = 25_567;

/** A form for every part of a layout, valid or not. */
export function LayoutForm(props: {
  spec: LayoutSpec;
  onChange: (part: Partial<LayoutSpec>) => void;
}) {
  const { spec, onChange } = props;
  return (
    <form class="sliders" onSubmit={(event: Event) => event.preventDefault()}>
      <Choice
        label="Begin with"
        value=""
        options={[["", "…"], ...KNOWN.map(([name]) => [name, name] as const)]}
        onValue={(name) => {
          const [, known] = KNOWN.find(([one]) => one === name) ?? [];
          // Omitted parts get their defaults.
          if (known) onChange({ lanePlace: "belowWorker", laneUse: "always", ...known });
        }}
      />
      <Epoch epochMs={spec.epochMs} onValue={(epochMs) => onChange({ epochMs })} />
      <Choice
        label="Tick"
        value={`${spec.tickMs}`}
        options={TICKS}
        onValue={(tick) => onChange({ tickMs: Number(tick) })}
      />
      {WIDTHS.map((name) => (
        <Slider
          key={name}
          label={labelOf(name)}
          value={spec[name]}
          said={`${spec[name]}`}
          least={LAYOUT_FIELDS[name].least}
          most={LAYOUT_FIELDS[name].most}
          onValue={(bits) => onChange({ [name]: bits })}
        />
      ))}
      {spec.laneBits > 0 && <Lanes spec={spec} onChange={onChange} />}
    </form>
  );
}

function labelOf(name: string): string {
  return name.replace(/^./, (letter) => letter.toUpperCase()).replace("Bits", " bits");
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
  // The typed text stays as it is, until the epoch is set in another way.
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const isStanding = typed !== undefined && Object.is(epochIn(typed), epochMs);
  const text = isStanding ? typed : shortTime(epochMs);
  const isWrong = Number.isNaN(epochMs);
  return (
    <>
      <div class="epoch">
        <TextField
          label="Epoch (UTC, or unix ms)"
          value={text}
          problem={isWrong ? PROBLEM_ID : undefined}
          onValue={(next) => {
            setTyped(next);
            onValue(epochIn(next));
          }}
        />
        {isWrong && (
          <Problem
            id={PROBLEM_ID}
            error="The epoch must be unix ms, or such as 2026-01-31 or 2026-01-31T12:00Z."
          />
        )}
      </div>
      <Slider
        label="Epoch’s day"
        value={isWrong ? 0 : Math.min(SLIDER_DAYS, Math.floor(epochMs / DAY_MS))}
        said={isWrong ? "–" : new Date(epochMs).toISOString().slice(0, 10)}
        least={0}
        most={SLIDER_DAYS}
        onValue={(day) => {
          setTyped(undefined);
          onValue(day * DAY_MS);
        }}
      />
    </>
  );
}

/** The time in a text; NaN if it is none, so that the layout is invalid. */
function epochIn(text: string): number {
  return parseInstant(text.trim()) ?? Number.NaN;
}

/** A time without its time of day if that is midnight. */
function shortTime(unixMs: number): string {
  if (Number.isNaN(unixMs)) return "";
  return new Date(unixMs).toISOString().replace("T00:00:00.000Z", "");
}
