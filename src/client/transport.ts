/** How requests get to the service: over HTTPS, or by a service binding. */
import type { CallerPlace, DecodeOptions, Placement } from "../core/binding.ts";
import type { BlocksAnswer } from "../core/blocks/blocks-answer.ts";
import { fieldsOf } from "../core/json.ts";
import { isWhole } from "../core/takes.ts";
import type { EdgeflakeBinding } from "./binding.ts";
import { errorOf } from "./errors.ts";
import { httpAsk, malformed } from "./http.ts";
import { TAKE_MAX } from "./limits.ts";

/** A placement, and what its answer is kept under where the namespace is a segment. */
export interface Asked extends Placement {
  readonly idempotencyKey?: string | undefined;
}

/** What the client calls of a binding. */
export type ClientBinding = Pick<EdgeflakeBinding, "blocksOrProblem" | "decodeOrProblem">;

/** Each answers what came, unread, or throws. */
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
