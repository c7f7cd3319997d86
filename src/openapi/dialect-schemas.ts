import { object, type Schema, type Schemas, text, whole } from "./shapes.ts";

/** TinyID's envelope: code 200 with data, or code 5 or 6 with null. */
function tinyId(data: Schema): Schema {
  return object({
    data: { anyOf: [data, { type: "null" }] },
    code: { enum: [200, 5, 6] },
    message: text,
  });
}

/** Response bodies of Leaf's and TinyID's routes. */
export const DIALECT_SCHEMAS: Schemas = {
  LeafError: object({
    timestamp: whole,
    status: { type: "integer" },
    error: text,
    exception: text,
    message: text,
    path: text,
  }),
  LeafDecoded: object({ timestamp: text, sequenceId: text, workerId: text, errorMsg: text }, [
    "timestamp",
    "sequenceId",
    "workerId",
    "errorMsg",
  ]),
  TinyIds: tinyId({ type: "array", items: { type: "integer" } }),
  TinySegment: tinyId(
    object({
      maxId: { type: "integer" },
      loadingId: { type: "integer" },
      currentId: { type: "integer" },
      delta: whole,
      remainder: whole,
    }),
  ),
};
