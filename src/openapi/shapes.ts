/** Building blocks for the OpenAPI document's schemas: JSON Schema 2020-12, as in OpenAPI 3.1. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import {
  FIELD_TEXTS,
  type FieldTitle,
  LANE_FIELDS,
  LAYOUT_FIELDS,
  mapFields,
  POLICY_FIELDS,
  type WholeField,
} from "../core/layout/fields.ts";
import { wholeField } from "../service/schema.ts";

/** Any JSON Schema: the format is open-ended. */
export type Schema = Readonly<Record<string, unknown>>;
export type Schemas = Readonly<Record<string, Schema>>;

export const text: Schema = { type: "string" };
export const whole: Schema = { type: "integer", minimum: 0 };
export const flag: Schema = { type: "boolean" };
export const instant: Schema = { type: "string", format: "date-time" };
export const idText: Schema = { type: "string", pattern: "^[0-9A-Za-z]{1,19}$" };
export const numberText: Schema = { type: "string", pattern: "^[0-9]{1,19}$" };

/** An object with exactly these fields; all are required, except those in `optional`. */
export function object(properties: Schemas, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required, additionalProperties: false };
}

export function list(items: Schema): Schema {
  return { type: "array", items };
}

export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The JSON Schema of a Valibot schema. */
export function schemaOf(schema: v.GenericSchema, typeMode: "input" | "output"): Schema {
  const { $schema: _, ...rest } = toJsonSchema(schema, {
    typeMode,
    target: "draft-2020-12",
    errorMode: "ignore",
  });
  return rest;
}

/** The fields of a table in core, as properties of a response body. */
export function fieldsIn<Name extends FieldTitle>(table: Readonly<Record<Name, WholeField>>) {
  return mapFields(table, (field, name) => schemaOf(wholeField(field, name), "output"));
}

export const layout = object(
  {
    ...fieldsIn(LAYOUT_FIELDS),
    ...mapFields(LANE_FIELDS, ({ allowed }, name) => ({
      enum: allowed,
      description: FIELD_TEXTS[name],
    })),
  },
  Object.keys(LANE_FIELDS),
);

export const policy = object(fieldsIn(POLICY_FIELDS));
