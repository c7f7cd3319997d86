/** The bodies of PUT and PATCH /v1/namespaces/{namespace}. */
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
import { PRESETS } from "../../core/layout/presets.ts";
import { DESCRIPTION_CHARS_MAX, REGIONS_COUNT_MAX } from "../../core/limits.ts";
import type { NamespaceDefinition } from "../../core/namespace/namespace.ts";
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

const LAYOUT_RULE = "must be an object with the bits of each field";
const laneFields = {
  lanePlace: v.exactOptional(described(oneOf(LANE_FIELDS.lanePlace.allowed), "lanePlace")),
  laneUse: v.exactOptional(described(oneOf(LANE_FIELDS.laneUse.allowed), "laneUse")),
};

const Layout = v.strictObject(
  {
    ...mapFields(LAYOUT_FIELDS, (field: WholeField, name) => {
      const schema = wholeField(field, name);
      return field.default === undefined ? schema : v.optional(schema, field.default);
    }),
    ...laneFields,
  },
  LAYOUT_RULE,
);
const LayoutPatch = v.strictObject(
  { ...mapFields(LAYOUT_FIELDS, optionalField), ...laneFields },
  LAYOUT_RULE,
);

const POLICY_RULE = "must be an object with the fields to change";
const Policy = v.strictObject(mapFields(POLICY_FIELDS, optionalField), POLICY_RULE);
const PolicyPatch = v.strictObject(
  mapFields(POLICY_FIELDS, (field: WholeField, name) => orNull(wholeField(field, name))),
  POLICY_RULE,
);

const KIND_RULE = messageOf({
  detail: "must be snowflake or segment",
  allowed: ["snowflake", "segment"],
});
const SnowflakeKind = v.literal("snowflake", KIND_RULE);
const SegmentKind = v.literal("segment", KIND_RULE);

const snowflakeFields = {
  preset: v.exactOptional(oneOf([...PRESETS.keys()])),
  shards: optionalField(SHARD_FIELDS.shards, "shards"),
  regions: v.exactOptional(
    listOf(
      oneOf(REGIONS),
      REGIONS_COUNT_MAX,
      `must be a list of 1 to ${REGIONS_COUNT_MAX} regions`,
    ),
  ),
  keyShards: optionalField(SHARD_FIELDS.keyShards, "keyShards"),
};

const SnowflakeBody = v.strictObject({
  kind: SnowflakeKind,
  ...snowflakeFields,
  layout: v.exactOptional(Layout),
  policy: v.exactOptional(Policy),
});
const SnowflakePatchBody = v.strictObject({
  kind: v.exactOptional(SnowflakeKind, "snowflake"),
  ...snowflakeFields,
  layout: v.exactOptional(LayoutPatch),
  policy: orNull(PolicyPatch),
});

const DESCRIPTION_RULE = `must be a string of at most ${DESCRIPTION_CHARS_MAX} characters`;
const Description = v.pipe(
  v.string(DESCRIPTION_RULE),
  v.maxLength(DESCRIPTION_CHARS_MAX, DESCRIPTION_RULE),
);

const segmentFields = {
  ...mapFields(SEGMENT_FIELDS, optionalField),
  start: v.exactOptional(described(decimal, "start")),
  max: v.exactOptional(described(decimal, "max")),
};

const SegmentBody = v.strictObject({
  kind: SegmentKind,
  ...segmentFields,
  description: v.exactOptional(Description),
});
const SegmentPatchBody = v.strictObject({
  kind: v.exactOptional(SegmentKind, "segment"),
  ...segmentFields,
  step: orNull(wholeField(SEGMENT_FIELDS.step, "step")),
  description: orNull(Description),
});

/** The body of PUT. */
export const NamespaceBody = v.variant("kind", [SnowflakeBody, SegmentBody], KIND_RULE);
/** The body of PATCH. */
export const NamespacePatchBody = v.pipe(
  v.union([SnowflakePatchBody, SegmentPatchBody]),
  v.description(
    "JSON Merge Patch (RFC 7396). Omitted fields keep their values. null resets a policy field, or the whole policy, to the preset's values, and step and description to their defaults",
  ),
);

/** The schema of the kind that a body of PUT names. */
export function namespaceBodyOf(value: object) {
  return kindIn(value) === "segment" ? SegmentBody : SnowflakeBody;
}

/** The same of a PATCH: a body that names no kind is judged by the namespace's. */
export function namespacePatchBodyOf(value: object, kind: NamespaceDefinition["kind"]) {
  return kindIn(value, kind) === "segment" ? SegmentPatchBody : SnowflakePatchBody;
}

function kindIn(value: object, otherwise?: string): unknown {
  return "kind" in value ? value.kind : otherwise;
}

/** A field that a patch may leave out, change, or return to its default by null. */
function orNull<Schema extends v.GenericSchema>(schema: Schema) {
  return v.exactOptional(v.nullable(schema));
}
