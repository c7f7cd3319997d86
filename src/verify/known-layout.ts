/** What is known of how a namespace's IDs are made, without asking anybody. */

import { fieldsOf } from "../core/json.ts";
import { type Layout, makeLayout } from "../core/layout.ts";
import { FRESH_FOR_DEFAULT_MS } from "../core/limits.ts";
import { PRESETS } from "../core/presets.ts";
import type { TimeBounds } from "./id-times.ts";
import { CLOCKS_DIFFER_MAX_MS } from "./limits.ts";

export interface KnownLayout {
  /** Undefined: IDs are numbers that say nothing, or how to read them is not known. */
  readonly layout: Layout | undefined;
  /** What an ID's time may be from its request where --skew-ms says nothing. */
  readonly times: TimeBounds | undefined;
  /** Where this is from, for people. */
  readonly source: string;
}

interface Leads {
  readonly maxStepBackMs: number;
  readonly maxBorrowMs: number;
  readonly freshForMs: number;
}

export function unknownLayout(source: string): KnownLayout {
  return { layout: undefined, times: undefined, source };
}

/** The layout and policy of a preset. Throws RangeError where there is none of that name. */
export function presetLayout(name: string, source: string): KnownLayout {
  const preset = PRESETS.get(name);
  if (!preset) throw new RangeError(`there is no preset ${name}`);
  const times = timesOf({ ...preset.policy, freshForMs: FRESH_FOR_DEFAULT_MS });
  return { layout: preset.layout, times, source };
}

/** What `GET /v1/namespaces/{namespace}` says; undefined where it is no answer of that route. */
export function describedLayout(body: unknown, source: string): KnownLayout | undefined {
  const { kind, layout, policy } = fieldsOf(body);
  if (kind === "segment") return unknownLayout("the namespace is a segment: its IDs have no time");
  const made = makeLayout(layout);
  const leads = leadsOf(policy);
  if (kind !== "snowflake" || !made.ok || !leads) return undefined;
  return { layout: made.layout, times: timesOf(leads), source };
}

/** A fresh ID may be older than its request by freshForMs, and lead by what may be borrowed and forgiven. */
function timesOf({ maxStepBackMs, maxBorrowMs, freshForMs }: Leads): TimeBounds {
  return {
    behindMaxMs: freshForMs + CLOCKS_DIFFER_MAX_MS,
    aheadMaxMs: maxStepBackMs + maxBorrowMs + CLOCKS_DIFFER_MAX_MS,
  };
}

function leadsOf(value: unknown): Leads | undefined {
  const { maxStepBackMs, maxBorrowMs, freshForMs } = fieldsOf(value);
  if (!isMs(maxStepBackMs) || !isMs(maxBorrowMs) || !isMs(freshForMs)) return undefined;
  return { maxStepBackMs, maxBorrowMs, freshForMs };
}

function isMs(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
