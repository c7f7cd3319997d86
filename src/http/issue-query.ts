/** The query of the issuing routes, checked against the namespace that it addresses. */
import type { Context } from "hono";
import { accepts } from "hono/accepts";
import * as v from "valibot";
import type { ParameterError } from "../core/binding.ts";
import { ENCODINGS } from "../core/codec.ts";
import { idleCapacity } from "../core/lanes.ts";
import {
  BLOCKS_COUNT_MAX,
  IDS_COUNT_MAX,
  KEY_BYTES_MAX,
  SAFE_ID_BITS_MAX,
  TEXT_COUNT_MAX,
} from "../core/limits.ts";
import type { GeoPoint } from "../core/regions.ts";
import { oneOfTakes, type Takes, wholeTakes } from "../core/takes.ts";
import type { Namespace } from "../service/namespaces.ts";
import { isStrict, type Placement } from "../service/pick-shard.ts";
import type { NamespaceEnv } from "./app-env.ts";
import { IDEMPOTENCY_KEY, idempotencyErrors } from "./idempotency.ts";
import { originOf } from "./origin.ts";
import { invalidParameters, type Parsed } from "./problem.ts";
import { GIVEN_ONCE, type ParsedQuery, parseQuery, type QueryText } from "./query.ts";
import { anyWholeText, oneOf, wholeText } from "./schema.ts";

/** IDs as text in some encoding, or `number`: JSON numbers, where the layout has at most 53 bits. */
export const ID_ENCODINGS = [...ENCODINGS, "number"] as const;
export type IdEncoding = (typeof ID_ENCODINGS)[number];

const KEY_TAKES = `takes 1 to ${KEY_BYTES_MAX} bytes of UTF-8`;

const PLACEMENT = {
  shard: v.optional(anyWholeText),
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

/** What of a request the issuing routes read. */
export interface IssueText {
  readonly query: QueryText;
  /** What the Accept header asks for; asked where the query says nothing. */
  readonly acceptedFormat: () => IdsRequest["format"];
  readonly from: () => GeoPoint | undefined;
  /** The Idempotency-Key, where there is one, and whose it is: two callers may use the same text. */
  readonly idempotency?: { readonly key: string | undefined; readonly owner: string };
}

/** What was read, or everything that is wrong with it. */
export type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly errors: readonly ParameterError[] };

/** The query of /v1/ids. `format` wins over the Accept header. */
export function readIdsQuery(text: IssueText, namespace: Namespace): Read<IdsRequest> {
  const query = parseQuery(text.query, IDS_QUERY);
  const { errors, values } = query;
  const { count = 1, encoding = "decimal", format = text.acceptedFormat() } = values;
  const placement = placementOf(text, query, namespace);
  // Text streams in many calls, so it is bounded by its own limit only.
  const mostJson = Math.min(IDS_COUNT_MAX, mostAtOnce(namespace, placement));
  const most = format === "text" ? TEXT_COUNT_MAX : mostJson;
  demand(errors, "count", count <= most, () => {
    const orText = format === "text" ? "" : ` here, with format=text to ${TEXT_COUNT_MAX}`;
    return wholeTakes(1, most, orText);
  });
  checkEncoding(errors, encoding, namespace);
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, value: { count, encoding, format, placement } };
}

/** The query of /v1/ids, or the answer that says what is wrong with it. */
export function parseIdsQuery(c: Context<NamespaceEnv>, namespace: Namespace): Parsed<IdsRequest> {
  return parsed(c, readIdsQuery(textOf(c), namespace));
}

/** The query of /v1/blocks. */
export function readBlocksQuery(text: IssueText, namespace: Namespace): Read<BlocksRequest> {
  const query = parseQuery(text.query, BLOCKS_QUERY);
  const { errors, values } = query;
  const { count = 1 } = values;
  const placement = placementOf(text, query, namespace);
  const most = Math.min(BLOCKS_COUNT_MAX, mostAtOnce(namespace, placement));
  demand(errors, "count", count <= most, () => wholeTakes(1, most, " here"));
  return errors.length > 0 ? { ok: false, errors } : { ok: true, value: { count, placement } };
}

/** The query of /v1/blocks, or the answer that says what is wrong with it. */
export function parseBlocksQuery(
  c: Context<NamespaceEnv>,
  namespace: Namespace,
): Parsed<BlocksRequest> {
  return parsed(c, readBlocksQuery(textOf(c), namespace));
}

function textOf(c: Context<NamespaceEnv>): IssueText {
  return {
    query: c.req,
    acceptedFormat: () => acceptedFormat(c),
    from: () => originOf(c.req.raw),
    idempotency: { key: c.req.header(IDEMPOTENCY_KEY), owner: c.get("caller").id },
  };
}

function parsed<Value>(c: Context, read: Read<Value>): Parsed<Value> {
  return read.ok ? read : { ok: false, response: invalidParameters(c, read.errors) };
}

/** `number` needs a namespace whose every ID is a safe integer. */
export function checkEncoding(
  errors: ParameterError[],
  encoding: IdEncoding,
  namespace: Namespace,
): void {
  const unsafe = unsafeNumbers(namespace);
  if (unsafe === undefined) return;
  demand(errors, "encoding", encoding !== "number", () => {
    return oneOfTakes(ENCODINGS, ` here; number only ${unsafe}`);
  });
}

/** Why not every ID of a namespace is a safe integer; undefined where each is. */
function unsafeNumbers(namespace: Namespace): string | undefined {
  if (namespace.kind === "segment") {
    const { max } = namespace.numbers;
    if (max <= BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
    return `in segments whose max is at most ${Number.MAX_SAFE_INTEGER}, and this one's is ${max}`;
  }
  const { totalBits } = namespace.layout;
  if (totalBits <= SAFE_ID_BITS_MAX) return undefined;
  return `in layouts of at most ${SAFE_ID_BITS_MAX} bits, and this one has ${totalBits}`;
}

function placementOf(
  { from, idempotency }: IssueText,
  { values, given, errors }: ParsedQuery<typeof PLACEMENT>,
  { shards, kind }: Namespace,
): Placement {
  const { shard, key, order } = values;
  const inRange = shard === undefined || shard < shards;
  demand(errors, "shard", inRange, () => wholeTakes(0, shards - 1));
  if (Object.hasOwn(given, "shard") && Object.hasOwn(given, "key")) {
    errors.push({
      parameter: "key",
      detail: "and shard exclude each other: a key has its own shard",
    });
  }
  const placement = { shard, key, strict: order === "strict", from };
  // Where there is a clock, a repeated request gets other IDs.
  if (kind !== "segment" || idempotency?.key === undefined) return placement;
  errors.push(...idempotencyErrors(idempotency.key));
  return { ...placement, idempotencyKey: `${idempotency.owner} ${idempotency.key}` };
}

/** A count that an idle line could never open is refused for good, not retried for ever. */
function mostAtOnce(namespace: Namespace, placement: Placement): number {
  if (namespace.kind === "segment") return Number.POSITIVE_INFINITY;
  return idleCapacity(namespace.layout, namespace.policy, isStrict(placement));
}

/** Adds an error where a demand of this namespace does not hold, and says what is taken here where the parameter is bad anyway. */
function demand(
  errors: ParameterError[],
  parameter: string,
  holds: boolean,
  takes: () => Takes,
): void {
  if (holds && errors.length === 0) return;
  const index = errors.findIndex((error) => error.parameter === parameter);
  if (errors[index]?.detail === GIVEN_ONCE) return;
  if (index >= 0) errors[index] = { parameter, ...takes() };
  else if (!holds) errors.push({ parameter, ...takes() });
}

function acceptedFormat(c: Context<NamespaceEnv>): "json" | "text" {
  const type = accepts(c, {
    header: "Accept",
    supports: ["application/json", "text/plain"],
    default: "application/json",
  });
  return type === "text/plain" ? "text" : "json";
}
