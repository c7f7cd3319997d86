import { Hono } from "hono";
import * as v from "valibot";
import { decode as decodeText, ENCODINGS, encode, encodingTakes } from "../core/codec";
import { decompose, type IdParts, maxIdOf } from "../core/id";
import { fieldOf, type Layout, tickStartMs } from "../core/layout";
import { DATE_MS_MAX } from "../core/limits";
import type { NamespaceEnv } from "./app-env";
import { checkEncoding, ID_ENCODINGS } from "./issue-query";
import { withNamespace } from "./namespace";
import { invalidParameters } from "./problem";
import { oneOf, parseQuery } from "./query";

const DECODE_QUERY = { encoding: v.optional(oneOf(ID_ENCODINGS)) };

/** `GET /v1/decode/{namespace}/{id}`: what an ID says. */
export const decode = new Hono<NamespaceEnv>();

decode.get("/:namespace/:id", withNamespace, (c) => {
  const namespace = c.get("namespace");
  const { layout } = namespace;
  const { values, errors } = parseQuery(c.req, DECODE_QUERY);
  checkEncoding(values.encoding ?? "decimal", namespace, errors);
  if (errors.length > 0) return invalidParameters(c, errors);
  const encoding =
    values.encoding === undefined || values.encoding === "number" ? "decimal" : values.encoding;
  const id = decodeText(c.req.param("id"), encoding);
  const parts = id === undefined ? undefined : decompose(layout, id);
  if (id === undefined || !parts) {
    const most = encode(maxIdOf(layout), encoding);
    const detail = `takes ${encodingTakes(encoding)}, at most ${most} in this layout`;
    return invalidParameters(c, [{ parameter: "id", detail }]);
  }
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
