/** Routes of other ID servers. Their own documentation has the details. */
import * as v from "valibot";
import { type Operation, type Operations, op } from "./operation.ts";

const text = v.string();
const token = v.optional(text);

function leaf(id: string, kind: string): Operation {
  return {
    id,
    tag: "Dialects",
    summary: `Leaf: issues one ID of a ${kind} namespace as plain decimal text; errors are Leaf's, with status 500`,
    query: { token },
    answers: { 200: { also: "text/plain" }, 500: { schema: "LeafError" } },
    errors: [],
    open: true,
  };
}

function tinyId(id: string, summary: string, schema?: string): Operation {
  const batch = id.includes("Segment") ? {} : { batchSize: v.optional(text) };
  return {
    id,
    tag: "Dialects",
    summary: `TinyID: ${summary}`,
    // Parameters may also come in a form.
    query: { bizType: v.optional(text), ...batch, token },
    answers: { 200: schema === undefined ? { also: "text/plain" } : { schema } },
    errors: [],
    open: true,
  };
}

function getAndPost(operation: Operation): Readonly<Record<string, Operation>> {
  return { get: operation, post: { ...operation, id: `${operation.id}ByPost` } };
}

export const DIALECTS: Operations = {
  "/api/segment/get/{key}": getAndPost(leaf("leafSegment", "segment")),
  "/api/snowflake/get/{key}": getAndPost(leaf("leafSnowflake", "snowflake")),
  "/decodeSnowflakeId": {
    get: op("leafDecode", "Dialects", "Leaf: decodes an ID of the preset leaf", {
      query: { snowflakeId: text, token },
      answers: {
        200: { schema: "LeafDecoded" },
        400: { schema: "LeafError" },
        500: { schema: "LeafError" },
      },
      errors: [],
      open: true,
    }),
  },
  "/tinyid/id/nextId": getAndPost(
    tinyId("tinyNextId", "issues IDs of a segment namespace", "TinyIds"),
  ),
  "/tinyid/id/nextIdSimple": getAndPost(
    tinyId("tinyNextIdSimple", "issues IDs as text, separated by commas; empty on errors"),
  ),
  "/tinyid/id/nextSegmentId": getAndPost(
    tinyId(
      "tinyNextSegmentId",
      "issues the next segment, for a client that counts through it",
      "TinySegment",
    ),
  ),
  "/tinyid/id/nextSegmentIdSimple": getAndPost(
    tinyId(
      "tinyNextSegmentIdSimple",
      "issues a segment as currentId,loadingId,maxId,delta,remainder; empty on errors",
    ),
  ),
};
