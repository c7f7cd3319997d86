/** Routes of other ID servers. Their own documentation has the details. */
import * as v from "valibot";
import { type Operation, type Operations, op } from "./operation.ts";

const text = v.string();
const token = v.optional(text);

function leaf(id: string, kind: string): Operation {
  return {
    id,
    tag: "Dialects",
    scope: "issue",
    description: `Leaf: issues one ID of a ${kind} namespace as plain decimal text; errors are Leaf's, with status 500`,
    query: { token },
    answers: {
      200: { also: "text/plain", alsoExample: kind === "segment" ? "1001" : "250271976348729344" },
      500: { schema: "LeafError" },
    },
    errors: [],
    open: true,
  };
}

function tinyId(id: string, description: string, answer: Operation["answers"][string]): Operation {
  const batch = id.includes("Segment") ? {} : { batchSize: v.optional(text) };
  return {
    id,
    tag: "Dialects",
    scope: "issue",
    description: `TinyID: ${description}`,
    // Parameters may also come in a form.
    query: { bizType: v.optional(text), ...batch, token },
    answers: { 200: answer },
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
      scope: "read",
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
    tinyId("tinyNextId", "issues IDs of a segment namespace", { schema: "TinyIds" }),
  ),
  "/tinyid/id/nextIdSimple": getAndPost(
    tinyId("tinyNextIdSimple", "issues IDs as text, separated by commas; empty on errors", {
      also: "text/plain",
      alsoExample: "6,7",
    }),
  ),
  "/tinyid/id/nextSegmentId": getAndPost(
    tinyId("tinyNextSegmentId", "issues the next segment, for a client that counts through it", {
      schema: "TinySegment",
    }),
  ),
  "/tinyid/id/nextSegmentIdSimple": getAndPost(
    tinyId(
      "tinyNextSegmentIdSimple",
      "issues a segment as currentId,loadingId,maxId,delta,remainder; empty on errors",
      { also: "text/plain", alsoExample: "2000,2200,3000,1,0" },
    ),
  ),
};
