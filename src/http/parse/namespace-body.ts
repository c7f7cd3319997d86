/** The body of PUT /v1/namespaces/{namespace}. */
import * as v from "valibot";
import {
  LANE_FIELDS,
  LAYOUT_FIELDS,
  mapFields,
  POLICY_FIELDS,
  SEGMENT_FIELDS,
  SHARD_FIELDS,
  type WholeField,
} from "../../core/layout/fields.ts";
import { makeLayout } from "../../core/layout/layout.ts";
import { PRESETS } from "../../core/layout/presets.ts";
import { DESCRIPTION_CHARS_MAX, REGIONS_COUNT_MAX } from "../../core/limits.ts";
import { REGIONS } from "../../core/regions.ts";
import {
  decimal,
  described,
  listOf,
  messageOf,
  oneOf,
  optionalField,
  wholeField,
} from "../../service/schema.ts";

const Layout = v.pipe(
  v.strictObject(
    {
      ...mapFields(LAYOUT_FIELDS, (field: WholeField, name) => {
        const schema = wholeField(field, name);
        return field.default === undefined ? schema : v.optional(schema, field.default);
      }),
      lanePlace: v.exactOptional(described(oneOf(LANE_FIELDS.lanePlace.allowed), "lanePlace")),
      laneUse: v.exactOptional(described(oneOf(LANE_FIELDS.laneUse.allowed), "laneUse")),
    },
    "must be an object with the bits of each field",
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const result = makeLayout(dataset.value);
    if (!result.ok) addIssue({ message: `is invalid: ${result.problems.join("; ")}` });
  }),
);

const Policy = v.strictObject(
  mapFields(POLICY_FIELDS, optionalField),
  "must be an object with the fields to change",
);

const KIND_RULE = messageOf({
  detail: "must be snowflake or segment",
  allowed: ["snowflake", "segment"],
});

const SnowflakeBody = v.pipe(
  v.strictObject({
    kind: v.literal("snowflake", KIND_RULE),
    preset: v.exactOptional(oneOf([...PRESETS.keys()])),
    layout: v.exactOptional(Layout),
    policy: v.exactOptional(Policy),
    shards: optionalField(SHARD_FIELDS.shards, "shards"),
    regions: v.exactOptional(
      listOf(
        oneOf(REGIONS),
        REGIONS_COUNT_MAX,
        `must be a list of 1 to ${REGIONS_COUNT_MAX} regions`,
      ),
    ),
    keyShards: optionalField(SHARD_FIELDS.keyShards, "keyShards"),
  }),
  v.forward(
    v.partialCheck(
      [["preset"], ["layout"]],
      ({ preset, layout }) => preset === undefined || layout === undefined,
      "and preset are mutually exclusive; send one of them",
    ),
    ["layout"],
  ),
);

const DESCRIPTION_RULE = `must be a string of at most ${DESCRIPTION_CHARS_MAX} characters`;

const SegmentBody = v.strictObject({
  kind: v.literal("segment"),
  ...mapFields(SEGMENT_FIELDS, optionalField),
  start: v.exactOptional(described(decimal, "start")),
  max: v.exactOptional(described(decimal, "max")),
  description: v.exactOptional(
    v.pipe(v.string(DESCRIPTION_RULE), v.maxLength(DESCRIPTION_CHARS_MAX, DESCRIPTION_RULE)),
  ),
});

export const NamespaceBody = v.variant("kind", [SnowflakeBody, SegmentBody], KIND_RULE);

/** The schema for the kind in a rejected value. */
export function namespaceBodyLike(value: object): v.GenericSchema {
  return "kind" in value && value.kind === "segment" ? SegmentBody : SnowflakeBody;
}
