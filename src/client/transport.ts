/** How requests get to the service: over HTTPS, or by a service binding. */
import type { BlocksAnswer } from "../core/blocks-answer.ts";
import type { DecodedId } from "../core/decoded.ts";
import { errorOf, fieldsOf } from "./errors.ts";
import { httpAsk, malformed } from "./http.ts";

/** Where IDs come from. At most one of `shard` and `key`. */
export interface Placement {
  readonly shard?: number | undefined;
  /** IDs for one key strictly increase. */
  readonly key?: string | undefined;
  readonly order?: "fresh" | "strict" | undefined;
}

/** A placement, and what its answer is kept under where the namespace is a segment. */
export interface Asked extends Placement {
  readonly idempotencyKey?: string | undefined;
}

/** A service binding to the entrypoint `Edgeflake`. */
export interface EdgeflakeBinding {
  blocks(namespace: string, count: number, options?: Asked): Promise<BlocksAnswer>;
  decode(namespace: string, id: string, options?: DecodeOptions): Promise<DecodedId>;
}

export interface DecodeOptions {
  /** Of the text: `decimal` (default), `hex`, `base32`, `base36`, `base58` or `base62`. */
  readonly encoding?: string | undefined;
}

/** Each answers what came, unread, or throws. */
export interface Transport {
  blocks(count: number, asked: Asked, signal: AbortSignal): Promise<unknown>;
  decode(id: string, options: DecodeOptions, signal: AbortSignal): Promise<unknown>;
}

export function bindingTransport(binding: EdgeflakeBinding, namespace: string): Transport {
  const said = async (answer: Promise<unknown>): Promise<unknown> => {
    try {
      return await answer;
    } catch (error) {
      throw errorOf(error, undefined, undefined);
    }
  };
  return {
    blocks: (count, asked) => said(binding.blocks(namespace, count, asked)),
    decode: (id, options) => said(binding.decode(namespace, id, options)),
  };
}

export function httpTransport(
  url: string | URL,
  key: string | undefined,
  namespace: string,
): Transport {
  const ask = httpAsk(url, key);
  const name = encodeURIComponent(namespace);
  return {
    // Not GET: a cache on the way that minds nothing would give the same IDs twice.
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

/** Checks an answer of `count` IDs. Throws EdgeflakeError `malformed`. */
export function readBlocks(answer: unknown, count: number): BlocksAnswer {
  const { blocks, shard, freshForMs } = fieldsOf(answer);
  const read = Array.isArray(blocks) ? blocks.map(blockOf) : [];
  const many = read.reduce((sum, block) => sum + block.count, 0);
  if (typeof shard === "number" && typeof freshForMs === "number" && many === count) {
    return { blocks: read, shard, freshForMs };
  }
  throw malformed("blocks");
}

function blockOf(block: unknown) {
  const { first, count, step = 1 } = fieldsOf(block);
  if (typeof first === "string" && /^\d{1,19}$/.test(first) && isCount(count) && isCount(step)) {
    return { first, count, step };
  }
  throw malformed("blocks");
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
