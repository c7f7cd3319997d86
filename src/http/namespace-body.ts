/** The body of PUT /v1/namespaces/{namespace}. */
import * as v from "valibot";
import { makeLayout, TICKS_MS } from "../core/layout.ts";
import {
  DATE_MS_MAX,
  DESCRIPTION_CHARS_MAX,
  LANE_BITS_MAX,
  LEASE_TTL_MAX_MS,
  LEASE_TTL_MIN_MS,
  LEASES_PER_KEY_MAX,
  MAX_ID,
  POLICY_MAX,
  POSITION_BITS_MAX,
  REGIONS_COUNT_MAX,
  SEGMENT_STEP_MAX,
  SHARDS_MAX,
  WORKER_BITS_MAX,
} from "../core/limits.ts";
import { PRESETS } from "../core/presets.ts";
import { REGIONS } from "../core/regions.ts";
import { oneOfTakes } from "../core/takes.ts";
import { messageOf, oneOf, wholeNumber } from "../service/schema.ts";

/** Epoch of a custom layout that names none: that of `default`, 2025-01-01. */
const EPOCH_DEFAULT_MS = 1_735_689_600_000;

const Layout = v.pipe(
  v.strictObject(
    {
      timestampBits: wholeNumber(1, POSITION_BITS_MAX),
      datacenterBits: v.optional(wholeNumber(0, WORKER_BITS_MAX), 0),
      workerBits: v.optional(wholeNumber(0, WORKER_BITS_MAX), 0),
      laneBits: v.optional(wholeNumber(0, LANE_BITS_MAX), 0),
      sequenceBits: wholeNumber(0, POSITION_BITS_MAX - 1),
      epochMs: v.optional(wholeNumber(0, DATE_MS_MAX), EPOCH_DEFAULT_MS),
      tickMs: v.optional(v.picklist(TICKS_MS, messageOf(oneOfTakes(TICKS_MS))), 1),
      lanePlace: v.exactOptional(oneOf(["aboveWorker", "belowWorker"])),
      laneUse: v.exactOptional(oneOf(["always", "back"])),
    },
    "takes an object with the bits of each field",
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const result = makeLayout(dataset.value);
    if (!result.ok) addIssue({ message: `cannot be: ${result.problems.join("; ")}` });
  }),
);

const Policy = v.strictObject(
  {
    maxStepBackMs: v.exactOptional(wholeNumber(0, POLICY_MAX.maxStepBackMs)),
    maxBorrowMs: v.exactOptional(wholeNumber(0, POLICY_MAX.maxBorrowMs)),
    maxWaitMs: v.exactOptional(wholeNumber(0, POLICY_MAX.maxWaitMs)),
    randomStart: v.exactOptional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
    reserveMs: v.exactOptional(wholeNumber(1, POLICY_MAX.reserveMs)),
    freshForMs: v.exactOptional(wholeNumber(0, POLICY_MAX.freshForMs)),
    leaseTtlMaxMs: v.exactOptional(wholeNumber(LEASE_TTL_MIN_MS, LEASE_TTL_MAX_MS)),
    leasesPerKeyMax: v.exactOptional(wholeNumber(1, LEASES_PER_KEY_MAX)),
  },
  "takes an object with the fields to change",
);

const regionsTake = `takes 1 to ${REGIONS_COUNT_MAX} regions`;

const KIND_TAKES = messageOf({
  detail: "takes snowflake or segment",
  allowed: ["snowflake", "segment"],
});

const SnowflakeBody = v.pipe(
  v.strictObject({
    kind: v.literal("snowflake", KIND_TAKES),
    preset: v.exactOptional(oneOf([...PRESETS.keys()])),
    layout: v.exactOptional(Layout),
    policy: v.exactOptional(Policy),
    shards: v.exactOptional(wholeNumber(1, SHARDS_MAX)),
    regions: v.exactOptional(
      v.pipe(
        v.array(oneOf(REGIONS), regionsTake),
        v.minLength(1, regionsTake),
        v.maxLength(REGIONS_COUNT_MAX, regionsTake),
      ),
    ),
    keyShards: v.exactOptional(wholeNumber(1, SHARDS_MAX)),
  }),
  v.forward(
    v.partialCheck(
      [["preset"], ["layout"]],
      ({ preset, layout }) => preset === undefined || layout === undefined,
      "takes no preset beside it: a namespace has the one or the other",
    ),
    ["layout"],
  ),
);

/** A number of a segment: as text where it is beyond what a JSON number holds exactly. */
const segmentTakes = `takes a whole number from 0 to ${MAX_ID}, as text where it is above ${Number.MAX_SAFE_INTEGER}`;
const SegmentNumber = v.union(
  [
    v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.transform(String)),
    v.pipe(v.string(), v.check(isSegmentNumber)),
  ],
  segmentTakes,
);

function isSegmentNumber(text: string): boolean {
  return /^(?:0|[1-9]\d{0,18})$/.test(text) && BigInt(text) <= MAX_ID;
}

const descriptionTakes = `takes a text of at most ${DESCRIPTION_CHARS_MAX} characters`;

const SegmentBody = v.strictObject({
  kind: v.literal("segment"),
  step: v.exactOptional(wholeNumber(1, SEGMENT_STEP_MAX)),
  start: v.exactOptional(SegmentNumber),
  max: v.exactOptional(SegmentNumber),
  delta: v.exactOptional(wholeNumber(1, SEGMENT_STEP_MAX)),
  remainder: v.exactOptional(wholeNumber(0, SEGMENT_STEP_MAX - 1)),
  description: v.exactOptional(
    v.pipe(v.string(descriptionTakes), v.maxLength(DESCRIPTION_CHARS_MAX, descriptionTakes)),
  ),
});

export const NamespaceBody = v.variant("kind", [SnowflakeBody, SegmentBody], KIND_TAKES);

/** The body that a value of that kind should have been. */
export function namespaceBodyLike(value: object): v.GenericSchema {
  return "kind" in value && value.kind === "segment" ? SegmentBody : SnowflakeBody;
}
