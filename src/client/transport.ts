/** How requests get to the service: over HTTPS, or by a service binding. */

import { isWhole } from "../core/allowed.ts";
import type { CallerPlace, DecodeOptions, Placement } from "../core/binding.ts";
import type { BlocksAnswer } from "../core/blocks/blocks-answer.ts";
import { fieldsOf } from "../core/json.ts";
import type { DecodedId } from "../core/layout/decoded.ts";
import type { EdgeflakeBinding } from "./binding.ts";
import { errorOf } from "./errors.ts";
import { httpAsk, malformed } from "./http.ts";
import { TAKE_MAX } from "./limits.ts";

/** The placement of a request, and its idempotency key if the namespace is a segment. */
export interface Asked extends Placement {
  readonly idempotencyKey?: string | undefined;
}

/** The methods of a binding that the client calls. */
export type ClientBinding = Pick<EdgeflakeBinding, "blocksOrProblem" | "decodeOrProblem">;

/** Each method resolves to the response's value, not checked yet, or rejects. */
export interface Transport {
  /** Where requests go, for messages. */
  readonly url: string;
  blocks(count: number, asked: Asked, signal: AbortSignal): Promise<unknown>;
  decode(id: string, options: DecodeOptions, signal: AbortSignal): Promise<unknown>;
}

export function bindingTransport(
  binding: ClientBinding,
  namespace: string,
  { near, region }: CallerPlace,
): Transport {
  const said = async (answer: Promise<unknown>): Promise<unknown> => {
    const { ok, value, problem } = fieldsOf(await answer);
    if (ok === true) return value;
    throw errorOf(problem);
  };
  return {
    url: "the service binding",
    blocks: (count, asked) =>
      said(binding.blocksOrProblem(namespace, count, { ...asked, near, region })),
    decode: (id, options) => said(binding.decodeOrProblem(namespace, id, options)),
  };
}

export function httpTransport(url: string, key: string | undefined, namespace: string): Transport {
  const ask = httpAsk(url, key);
  const name = encodeURIComponent(namespace);
  return {
    url,
    // Not GET: a cache that ignores no-store would return the same IDs twice.
    blocks: (count, { idempotencyKey, ...placement }, signal) =>
      ask(
        `blocks/${name}`,
        { ...placement, count },
        {
          method: "POST",
          signal,
          headers: idempotencyKey ? { "idempotency-key": idempotencyKey } : {},
        },
      ),
    decode: (id, options, signal) =>
      ask(`decode/${name}/${encodeURIComponent(id)}`, options, { method: "GET", signal }),
  };
}

/** Checks a response with `count` IDs. Throws EdgeflakeError `malformed`. */
export function readBlocks(answer: unknown, count: number): BlocksAnswer {
  const { blocks, shard, freshForMs } = fieldsOf(answer);
  const read = Array.isArray(blocks) ? blocks.map(blockOf) : [];
  const many = read.reduce((sum, block) => sum + block.count, 0);
  if (typeof shard === "number" && typeof freshForMs === "number" && many === count) {
    return { blocks: read, shard, freshForMs };
  }
  throw malformed("blocks");
}

/** Checks a decoded ID. Throws EdgeflakeError `malformed`. */
export function readDecoded(answer: unknown): DecodedId {
  if (isDecoded(answer)) return answer;
  throw malformed("decode");
}

function isDecoded(answer: unknown): answer is DecodedId {
  const { id, kind } = fieldsOf(answer);
  return typeof id === "string" && typeof kind === "string";
}

/** A random key for a strict call, so that a retry gets the same IDs; undefined for other calls. */
export function keyFor({ key, order }: Placement): string | undefined {
  return key || order === "strict" ? crypto.randomUUID() : undefined;
}

/** The key of one of several requests of a call: the same if the call is repeated, and no other call's. */
export async function partKeyOf(part: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(part));
  return new Uint8Array(digest).join(".");
}

function blockOf(block: unknown) {
  const { first, count, step = 1 } = fieldsOf(block);
  if (
    typeof first === "string" &&
    /^\d{1,19}$/.test(first) &&
    isWhole(count, 1, TAKE_MAX) &&
    isWhole(step, 1, TAKE_MAX)
  ) {
    return { first, count, step };
  }
  throw malformed("blocks");
}
