import { Hono } from "hono";
import * as v from "valibot";
import { decode as decodeText, encode, encodingTakes } from "../core/codec.ts";
import { type DecodedId, decodedId, decodedNumber } from "../core/decoded.ts";
import { maxIdOf } from "../core/id.ts";
import type { Namespace } from "../service/namespaces.ts";
import { requires } from "./access.ts";
import type { NamespaceEnv } from "./app-env.ts";
import { checkEncoding, ID_ENCODINGS, type Read } from "./issue-query.ts";
import { withNamespace } from "./namespace.ts";
import { invalidParameters } from "./problem.ts";
import { parseQuery, type QueryText } from "./query.ts";
import { oneOf } from "./schema.ts";

export const DECODE_QUERY = { encoding: v.optional(oneOf(ID_ENCODINGS)) };

/** `GET /v1/decode/{namespace}/{id}`: what an ID says. */
export const decode = new Hono<NamespaceEnv>();

decode.get("/:namespace/:id", requires("read"), withNamespace, (c) => {
  const read = readId(c.req, c.get("namespace"), c.req.param("id"));
  return read.ok ? c.json(read.value) : invalidParameters(c, read.errors);
});

/** What the ID `text` says, in the encoding that the query names. */
export function readId(query: QueryText, namespace: Namespace, text: string): Read<DecodedId> {
  const { values, errors } = parseQuery(query, DECODE_QUERY);
  const given = values.encoding ?? "decimal";
  checkEncoding(errors, given, namespace);
  const encoding = given === "number" ? "decimal" : given;
  const id = decodeText(text, encoding);
  const decoded = id === undefined ? undefined : decodedOf(namespace, id);
  if (decoded && errors.length === 0) return { ok: true, value: decoded };
  if (!decoded) {
    const most = encode(maxOf(namespace), encoding);
    const others = values.encoding === undefined ? "; for other forms say encoding=" : "";
    const where = namespace.kind === "segment" ? "this namespace" : "this layout";
    const detail = `takes ${encodingTakes(encoding)}, at most ${most} in ${where}${others}`;
    errors.push({ parameter: "id", detail });
  }
  return { ok: false, errors };
}

function decodedOf(namespace: Namespace, id: bigint): DecodedId | undefined {
  if (namespace.kind === "snowflake") return decodedId(namespace.layout, id);
  return id <= maxOf(namespace) ? decodedNumber(id) : undefined;
}

function maxOf(namespace: Namespace): bigint {
  return namespace.kind === "segment" ? namespace.numbers.max : maxIdOf(namespace.layout);
}
