import { Hono } from "hono";
import * as v from "valibot";
import { decode as decodeText, ENCODINGS, encode, encodingTakes } from "../core/codec.ts";
import { decompose, type IdParts, maxIdOf } from "../core/id.ts";
import { fieldOf, type Layout, tickStartMs } from "../core/layout.ts";
import { DATE_MS_MAX } from "../core/limits.ts";
import { requires } from "./access.ts";
import type { NamespaceEnv } from "./app-env.ts";
import { checkEncoding, ID_ENCODINGS } from "./issue-query.ts";
import { withNamespace } from "./namespace.ts";
import { invalidParameters } from "./problem.ts";
import { parseQuery } from "./query.ts";
import { oneOf } from "./schema.ts";

export const DECODE_QUERY = { encoding: v.optional(oneOf(ID_ENCODINGS)) };

/** `GET /v1/decode/{namespace}/{id}`: what an ID says. */
export const decode = new Hono<NamespaceEnv>();

decode.get("/:namespace/:id", requires("read"), withNamespace, (c) => {
  const namespace = c.get("namespace");
  const { layout } = namespace;
  const { values, errors } = parseQuery(c.req, DECODE_QUERY);
  const given = values.encoding ?? "decimal";
  checkEncoding(errors, given, namespace);
  const encoding = given === "number" ? "decimal" : given;
  const id = decodeText(c.req.param("id"), encoding);
  const parts = id === undefined ? undefined : decompose(layout, id);
  if (!parts) {
    const most = encode(maxIdOf(layout), encoding);
    const others = values.encoding === undefined ? "; for other forms say encoding=" : "";
    const detail = `takes ${encodingTakes(encoding)}, at most ${most} in this layout${others}`;
    errors.push({ parameter: "id", detail });
  }
  if (errors.length > 0 || id === undefined || !parts) return invalidParameters(c, errors);
  return c.json(decoded(layout, id, parts));
});

function decoded(layout: Layout, id: bigint, parts: IdParts) {
  const { tick, datacenter, worker, shard, lane, sequence } = parts;
  const unixMs = tickStartMs(layout, tick);
  return {
    id: id.toString(),
    kind: "snowflake",
    // A layout's line may reach past the year 275760, where dates end.
    time: unixMs <= DATE_MS_MAX ? new Date(unixMs).toISOString() : null,
    unixMs,
    tick,
    ...(fieldOf(layout, "datacenter") && { datacenter }),
    worker,
    shard,
    lane,
    sequence,
    encodings: Object.fromEntries(ENCODINGS.map((encoding) => [encoding, encode(id, encoding)])),
  };
}
