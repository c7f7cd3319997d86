import * as v from "valibot";
import { decode as decodeText, encode, encodingTakes } from "../../core/codec.ts";
import { type DecodedId, decodedId, decodedNumber } from "../../core/layout/decoded.ts";
import { maxIdOf } from "../../core/layout/id.ts";
import { failed, invalidParameters, type Outcome } from "../../core/problem.ts";
import { type Params, parseParams } from "../params.ts";
import type { Namespace } from "../registry/namespaces.ts";
import { oneOf } from "../schema.ts";
import { checkEncoding, ID_ENCODINGS } from "./issue-request.ts";

export const DECODE_QUERY = { encoding: v.optional(oneOf(ID_ENCODINGS)) };

/** Decodes the ID `text`. The parameters give its encoding. */
export function decodeId(params: Params, namespace: Namespace, text: string): Outcome<DecodedId> {
  const { values, errors } = parseParams(params, DECODE_QUERY);
  const given = values.encoding ?? "decimal";
  checkEncoding(errors, given, namespace);
  const encoding = given === "number" ? "decimal" : given;
  const id = decodeText(text, encoding);
  const decoded = id === undefined ? undefined : decodedOf(namespace, id);
  if (decoded && errors.length === 0) return { ok: true, value: decoded };
  if (!decoded) {
    const most = encode(maxOf(namespace), encoding);
    const others =
      values.encoding === undefined ? "; for another encoding, set the parameter encoding" : "";
    const where = namespace.kind === "segment" ? "this namespace" : "this layout";
    const detail = `must be ${encodingTakes(encoding)}, at most ${most} in ${where}${others}`;
    errors.push({ parameter: "id", detail });
  }
  return failed(invalidParameters(errors));
}

function decodedOf(namespace: Namespace, id: bigint): DecodedId | undefined {
  if (namespace.kind === "snowflake") return decodedId(namespace.layout, id);
  return id <= maxOf(namespace) ? decodedNumber(id) : undefined;
}

function maxOf(namespace: Namespace): bigint {
  return namespace.kind === "segment" ? namespace.numbers.max : maxIdOf(namespace.layout);
}
