/** A namespace that is being designed: what is wished, its address, and the body that makes it. */
import { parseInstant } from "../core/instant.ts";
import { type Layout, type LayoutSpec, makeLayout } from "../core/layout.ts";
import { REGIONS_COUNT_MAX, SHARDS_DEFAULT } from "../core/limits.ts";
import { shardsMax } from "../core/namespace.ts";
import { PRESETS } from "../core/presets.ts";
import { REGIONS, type Region } from "../core/regions.ts";
import { addressOf, type Route } from "./route.ts";

export interface DesignWish {
  /** Also one that cannot be; `epochMs` is NaN where what was typed is no time. */
  readonly spec: LayoutSpec;
  /** As typed; empty: the service's default. */
  readonly shards?: string;
  /** As typed, with commas or spaces between; empty: the service's default. */
  readonly regions?: string;
}

/** The body of PUT /v1/namespaces/{namespace}. */
export interface DesignBody {
  readonly kind: "snowflake";
  readonly layout: LayoutSpec;
  readonly shards?: number;
  readonly regions?: readonly Region[];
}

/** A wish that can be, with how many shards it has; or why it cannot. */
export type Designed =
  | {
      readonly ok: true;
      readonly layout: Layout;
      readonly shards: number;
      readonly body: DesignBody;
    }
  | {
      readonly ok: false;
      /** Where the bits alone can be. */
      readonly layout: Layout | undefined;
      readonly problems: readonly string[];
    };

/** What the service will say of a wish. */
export function designed({ spec, shards = "", regions = "" }: DesignWish): Designed {
  const told = layoutBody(spec);
  const made = makeLayout(told);
  const named = regionsIn(regions);
  const problems = made.ok ? [] : [...made.problems];
  if (named === undefined) {
    problems.push(`regions take 1 to ${REGIONS_COUNT_MAX} of ${REGIONS.join(", ")}`);
  }
  if (!made.ok) return { ok: false, layout: undefined, problems };
  const { layout } = made;
  const most = shardsMax(layout);
  const count = shards === "" ? Math.min(SHARDS_DEFAULT, most) : wholeIn(shards);
  if (count < 1 || count > most) problems.push(`shards takes a whole number from 1 to ${most}`);
  if (problems.length > 0 || named === undefined) return { ok: false, layout, problems };
  const body: DesignBody = {
    kind: "snowflake",
    layout: told,
    ...(shards !== "" && { shards: count }),
    ...(named.length > 0 && { regions: named }),
  };
  return { ok: true, layout, shards: count, body };
}

/** Without words on lanes where there is one only. */
function layoutBody(spec: LayoutSpec): LayoutSpec {
  if (spec.laneBits > 0) return spec;
  const { lanePlace: _, laneUse: __, ...layout } = spec;
  return layout;
}

/** 0 for what is no whole number. */
function wholeIn(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** Undefined where one of them is none, or they are too many. */
function regionsIn(text: string): Region[] | undefined {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const named = words.flatMap((word) => REGIONS.find((region) => region === word) ?? []);
  return named.length === words.length && named.length <= REGIONS_COUNT_MAX ? named : undefined;
}

/** A wish's address, with an ID that is read with its layout. */
export function designAddress(wish: DesignWish, id = "", encoding = ""): string {
  const { spec, shards = "", regions = "" } = wish;
  const bits = [spec.timestampBits, spec.datacenterBits, spec.workerBits, spec.laneBits];
  return addressOf("design", id === "" ? [] : [id], {
    bits: [...bits, spec.sequenceBits].join("."),
    epoch: Number.isNaN(spec.epochMs) ? "" : `${spec.epochMs}`,
    tick: `${spec.tickMs}`,
    lanePlace: spec.laneBits > 0 ? (spec.lanePlace ?? "") : "",
    laneUse: spec.laneBits > 0 ? (spec.laneUse ?? "") : "",
    shards,
    regions,
    encoding,
  });
}

/** The wish of an address; what it does not say is as in `default`. */
export function designIn({ query }: Route): Required<DesignWish> {
  const { lanePlace, laneUse, shards = "", regions = "" } = query;
  const bits = /^\d{1,2}(?:\.\d{1,2}){4}$/.test(query.bits ?? "") ? query.bits : undefined;
  const [timestampBits = 0, datacenterBits = 0, workerBits = 0, laneBits = 0, sequenceBits = 0] = (
    bits ?? ""
  )
    .split(".")
    .map(Number);
  const widths = { timestampBits, datacenterBits, workerBits, laneBits, sequenceBits };
  const base = startOf("default");
  const spec: LayoutSpec = {
    ...base,
    ...(bits !== undefined && widths),
    epochMs: parseInstant(query.epoch ?? "") ?? base.epochMs,
    tickMs: wholeIn(query.tick ?? "") || base.tickMs,
    ...((lanePlace === "aboveWorker" || lanePlace === "belowWorker") && { lanePlace }),
    ...((laneUse === "always" || laneUse === "back") && { laneUse }),
  };
  return { spec, shards, regions };
}

/** The layout of a preset. Throws RangeError where there is none of that name. */
export function startOf(preset: string): LayoutSpec {
  const known = PRESETS.get(preset);
  if (!known) throw new RangeError(`there is no preset ${preset}`);
  return known.spec;
}
