/** The query of the issuing routes, checked against the namespace that it addresses. */
import type { Context } from "hono";
import { accepts } from "hono/accepts";
import * as v from "valibot";
import { ENCODINGS } from "../core/codec.ts";
import { idleCapacity } from "../core/lanes.ts";
import {
  BLOCKS_COUNT_MAX,
  IDS_COUNT_MAX,
  KEY_BYTES_MAX,
  SAFE_ID_BITS_MAX,
  TEXT_COUNT_MAX,
} from "../core/limits.ts";
import type { Namespace } from "../service/namespaces.ts";
import { isStrict, type Placement } from "../service/pick-shard.ts";
import type { NamespaceEnv } from "./app-env.ts";
import { originOf } from "./origin.ts";
import { invalidParameters, type ParameterError, type Parsed } from "./problem.ts";
import { GIVEN_ONCE, type ParsedQuery, parseQuery } from "./query.ts";
import { oneOf, wholeText } from "./schema.ts";

/** IDs as text in some encoding, or `number`: JSON numbers, where the layout has at most 53 bits. */
export const ID_ENCODINGS = [...ENCODINGS, "number"] as const;
export type IdEncoding = (typeof ID_ENCODINGS)[number];

const KEY_TAKES = `takes 1 to ${KEY_BYTES_MAX} bytes of UTF-8`;

const PLACEMENT = {
  shard: v.optional(wholeText(0, Number.MAX_SAFE_INTEGER)),
  key: v.optional(
    v.pipe(v.string(KEY_TAKES), v.minLength(1, KEY_TAKES), v.maxBytes(KEY_BYTES_MAX, KEY_TAKES)),
  ),
  order: v.optional(oneOf(["fresh", "strict"])),
};

export const IDS_QUERY = {
  count: v.optional(wholeText(1, TEXT_COUNT_MAX)),
  encoding: v.optional(oneOf(ID_ENCODINGS)),
  format: v.optional(oneOf(["json", "text"])),
  ...PLACEMENT,
};

export const BLOCKS_QUERY = { count: v.optional(wholeText(1, BLOCKS_COUNT_MAX)), ...PLACEMENT };

export interface IdsRequest {
  readonly count: number;
  readonly encoding: IdEncoding;
  readonly format: "json" | "text";
  readonly placement: Placement;
}

export interface BlocksRequest {
  readonly count: number;
  readonly placement: Placement;
}

/** The query of /v1/ids. `format` wins over the Accept header. */
export function parseIdsQuery(c: Context<NamespaceEnv>, namespace: Namespace): Parsed<IdsRequest> {
  const query = parseQuery(c.req, IDS_QUERY);
  const { errors, values } = query;
  const { count = 1, encoding = "decimal", format = acceptedFormat(c) } = values;
  const placement = placementOf(c, query, namespace);
  // Text streams in many calls, so it is bounded by its own limit only.
  const mostJson = Math.min(IDS_COUNT_MAX, mostAtOnce(namespace, placement));
  const most = format === "text" ? TEXT_COUNT_MAX : mostJson;
  const orText = format === "text" ? "" : ` here, with format=text to ${TEXT_COUNT_MAX}`;
  demand(errors, "count", count <= most, `takes a whole number from 1 to ${most}${orText}`);
  checkEncoding(errors, encoding, namespace);
  if (errors.length > 0) return { ok: false, response: invalidParameters(c, errors) };
  return { ok: true, value: { count, encoding, format, placement } };
}

/** The query of /v1/blocks. */
export function parseBlocksQuery(
  c: Context<NamespaceEnv>,
  namespace: Namespace,
): Parsed<BlocksRequest> {
  const query = parseQuery(c.req, BLOCKS_QUERY);
  const { errors, values } = query;
  const { count = 1 } = values;
  const placement = placementOf(c, query, namespace);
  const most = Math.min(BLOCKS_COUNT_MAX, mostAtOnce(namespace, placement));
  demand(errors, "count", count <= most, `takes a whole number from 1 to ${most} here`);
  if (errors.length > 0) return { ok: false, response: invalidParameters(c, errors) };
  return { ok: true, value: { count, placement } };
}

/** `number` needs a layout whose every ID is a safe integer. */
export function checkEncoding(
  errors: ParameterError[],
  encoding: IdEncoding,
  { layout }: Namespace,
): void {
  if (layout.totalBits <= SAFE_ID_BITS_MAX) return;
  const takes = `takes ${ENCODINGS.join(", ")} here; number only in layouts of at most ${SAFE_ID_BITS_MAX} bits, and this one has ${layout.totalBits}`;
  demand(errors, "encoding", encoding !== "number", takes);
}

function placementOf(
  c: Context,
  { values, given, errors }: ParsedQuery<typeof PLACEMENT>,
  { shards }: Namespace,
): Placement {
  const { shard, key, order } = values;
  const inRange = shard === undefined || shard < shards;
  demand(errors, "shard", inRange, `takes a whole number from 0 to ${shards - 1}`);
  if (given.has("shard") && given.has("key")) {
    errors.push({
      parameter: "key",
      detail: "and shard exclude each other: a key has its own shard",
    });
  }
  return { shard, key, strict: order === "strict", from: originOf(c) };
}

/** A count that an idle line could never open is refused for good, not retried for ever. */
function mostAtOnce({ layout, policy }: Namespace, placement: Placement): number {
  return idleCapacity(layout, policy, isStrict(placement));
}

/** Adds an error where a demand of this namespace does not hold, and says what is taken here where the parameter is bad anyway. */
function demand(errors: ParameterError[], parameter: string, holds: boolean, detail: string): void {
  const index = errors.findIndex((error) => error.parameter === parameter);
  if (errors[index]?.detail === GIVEN_ONCE) return;
  if (index >= 0) errors[index] = { parameter, detail };
  else if (!holds) errors.push({ parameter, detail });
}

function acceptedFormat(c: Context<NamespaceEnv>): "json" | "text" {
  const type = accepts(c, {
    header: "Accept",
    supports: ["application/json", "text/plain"],
    default: "application/json",
  });
  return type === "text/plain" ? "text" : "json";
}
