/** What the schemas of the OpenAPI document are made of. */

/** JSON Schema is open-ended; this is any of it. */
export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: "string" };
export const whole: Schema = { type: "integer", minimum: 0 };
export const instant: Schema = { type: "string", format: "date-time" };
export const idText: Schema = { type: "string", pattern: "^[0-9A-Za-z]{1,19}$" };

export const numberText: Schema = { type: "string", pattern: "^[0-9]{1,19}$" };

/** An object with these fields and no others, all required but those of `optional`: see http/openapi. */
export function object(
  fields: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  return { fields, ...(optional.length > 0 && { optional }) };
}

export function list(items: Schema): Schema {
  return { type: "array", items };
}

export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** A layout's fields. */
export const layoutFields = {
  timestampBits: whole,
  datacenterBits: whole,
  workerBits: whole,
  laneBits: whole,
  sequenceBits: whole,
  epochMs: whole,
  tickMs: { enum: [1, 10, 1000] },
  lanePlace: { enum: ["aboveWorker", "belowWorker"] },
  laneUse: { enum: ["always", "back"] },
};

/** A policy's fields. */
export const policyFields = {
  maxStepBackMs: whole,
  maxBorrowMs: whole,
  maxWaitMs: whole,
  randomStart: whole,
  reserveMs: whole,
  freshForMs: whole,
  leaseTtlMaxMs: whole,
  leasesPerKeyMax: whole,
};
