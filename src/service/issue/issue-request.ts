/** Requests for IDs, parsed from parameters and checked against their namespace. */
import * as v from "valibot";
import { type Allowed, anyOf, integerFrom } from "../../core/allowed.ts";
import type { Placement as CallPlacement, ParameterError } from "../../core/binding.ts";
import { ENCODINGS } from "../../core/codec.ts";
import {
  BLOCKS_COUNT_MAX,
  IDEMPOTENCY_KEY_CHARS_MAX,
  IDS_COUNT_MAX,
  KEY_BYTES_MAX,
  SAFE_ID_BITS_MAX,
  TEXT_COUNT_MAX,
} from "../../core/limits.ts";
import { idleCapacity } from "../../core/line/lanes.ts";
import { failed, invalidParameters, type Outcome } from "../../core/problem.ts";
import type { GeoPoint } from "../../core/regions.ts";
import { isStrict, type Placement } from "../calls/pick-shard.ts";
import { cachedParser, GIVEN_ONCE, type Params } from "../params.ts";
import type { Namespace } from "../registry/namespaces.ts";
import { anyWholeText, oneOf, wholeText } from "../schema.ts";

/** Encodings of issued IDs: text forms, or `number` for JSON numbers if all IDs of the namespace are safe integers. */
export const ID_ENCODINGS = [...ENCODINGS, "number"] as const;
export type IdEncoding = (typeof ID_ENCODINGS)[number];

/** The request header that makes retries idempotent (draft-ietf-httpapi-idempotency-key-header). */
export const IDEMPOTENCY_KEY = "idempotency-key";
const IDEMPOTENCY_KEY_FORMAT = new RegExp(`^[!-~]{1,${IDEMPOTENCY_KEY_CHARS_MAX}}$`);

const KEY_RULE = `must be 1 to ${KEY_BYTES_MAX} bytes of UTF-8`;

const PLACEMENT = {
  shard: v.optional(anyWholeText),
  key: v.optional(
    v.pipe(v.string(KEY_RULE), v.minLength(1, KEY_RULE), v.maxBytes(KEY_BYTES_MAX, KEY_RULE)),
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

const parseIds = cachedParser(IDS_QUERY);
const parseBlocks = cachedParser(BLOCKS_QUERY);

/** A valid request for IDs. */
export interface IssueRequest {
  readonly namespace: Namespace;
  readonly count: number;
  readonly placement: Placement;
}

/** A valid request for single IDs, with the form of its response. */
export interface IdsRequest extends IssueRequest {
  readonly encoding: IdEncoding;
  readonly format: "json" | "text";
}

/** A request before it is parsed: parameters, place and idempotency key. */
export interface Given {
  readonly params: Params;
  /** The place of the request; undefined if unknown. */
  readonly from: () => GeoPoint | undefined;
  readonly idempotencyKey: () => string | undefined;
  /** Owner of the idempotency key: two callers may use the same key. */
  readonly owner: string;
}

/** Parses a request for single IDs. `defaultFormat` is called only if the parameters have no format. */
export function parseIdsRequest(
  given: Given,
  namespace: Namespace,
  defaultFormat: () => IdsRequest["format"],
): Outcome<IdsRequest> {
  const { values, errors: found } = parseIds(given.params);
  const errors = [...found];
  const { count = 1, encoding = "decimal", format = defaultFormat() } = values;
  const placement = placementOf(given, values, errors, namespace);
  // A text stream makes many calls, so only its own limit bounds it.
  const mostJson = Math.min(IDS_COUNT_MAX, mostAtOnce(namespace, placement));
  const most = format === "text" ? TEXT_COUNT_MAX : mostJson;
  demand(errors, "count", count <= most, () => {
    const orText = format === "text" ? "" : ` (up to ${TEXT_COUNT_MAX} with format=text)`;
    return integerFrom(1, most, orText);
  });
  checkEncoding(errors, encoding, namespace);
  if (errors.length > 0) return failed(invalidParameters(errors));
  return { ok: true, value: { namespace, count, encoding, format, placement } };
}

/** Parses a request for blocks. */
export function parseBlocksRequest(given: Given, namespace: Namespace): Outcome<IssueRequest> {
  const { values, errors: found } = parseBlocks(given.params);
  const errors = [...found];
  const { count = 1 } = values;
  const placement = placementOf(given, values, errors, namespace);
  const most = Math.min(BLOCKS_COUNT_MAX, mostAtOnce(namespace, placement));
  demand(errors, "count", count <= most, () => integerFrom(1, most, " in this namespace"));
  if (errors.length > 0) return failed(invalidParameters(errors));
  return { ok: true, value: { namespace, count, placement } };
}

/** The errors of an idempotency key; empty if it is absent. */
export function idempotencyErrors(key: string | undefined): ParameterError[] {
  if (key === undefined || IDEMPOTENCY_KEY_FORMAT.test(key)) return [];
  const detail = `must be 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters`;
  return [{ parameter: IDEMPOTENCY_KEY, detail }];
}

/** Adds an error for the encoding `number` if the namespace has IDs that are no safe integers. */
export function checkEncoding(
  errors: ParameterError[],
  encoding: IdEncoding,
  namespace: Namespace,
): void {
  const unsafe = unsafeNumbers(namespace);
  if (unsafe === undefined) return;
  demand(errors, "encoding", encoding !== "number", () => {
    return anyOf(ENCODINGS, `; number is allowed only ${unsafe}`);
  });
}

/** The condition for `number` that the namespace fails; undefined if all its IDs are safe integers. */
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
  given: Given,
  { shard, key, order }: CallPlacement,
  errors: ParameterError[],
  { shards, kind }: Namespace,
): Placement {
  const inRange = shard === undefined || shard < shards;
  demand(errors, "shard", inRange, () => integerFrom(0, shards - 1));
  const { texts } = given.params;
  if (texts.has("shard") && texts.has("key")) {
    errors.push({
      parameter: "key",
      detail: "and shard are mutually exclusive: a key has its own shard",
    });
  }
  const placement = { shard, orderingKey: key, strict: order === "strict", from: given.from };
  // Snowflake IDs depend on the clock, so a repeated request gets new IDs.
  const idempotencyKey = kind === "segment" ? given.idempotencyKey() : undefined;
  if (idempotencyKey === undefined) return placement;
  errors.push(...idempotencyErrors(idempotencyKey));
  return { ...placement, idempotencyKey: `${given.owner} ${idempotencyKey}` };
}

/** The largest count of one call. A larger one is a 400, because a retry can't help. */
function mostAtOnce(namespace: Namespace, placement: Placement): number {
  if (namespace.kind === "segment") return Number.POSITIVE_INFINITY;
  return idleCapacity(namespace.layout, namespace.policy, isStrict(placement));
}

/**
 * Adds an error if `holds` is false. A parameter that already has an error gets the allowed values of this namespace
 * instead.
 */
function demand(
  errors: ParameterError[],
  parameter: string,
  holds: boolean,
  allowed: () => Allowed,
): void {
  if (holds && errors.length === 0) return;
  const index = errors.findIndex((error) => error.parameter === parameter);
  if (errors[index]?.detail === GIVEN_ONCE) return;
  if (index >= 0) errors[index] = { parameter, ...allowed() };
  else if (!holds) errors.push({ parameter, ...allowed() });
}
