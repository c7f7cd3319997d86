/** How requests get to the service: over HTTPS, or by a service binding. */
import type { BlocksAnswer } from "../core/blocks-answer.ts";
import type { DecodedId } from "../core/decoded.ts";
import { EdgeflakeError, errorOf, fieldsOf } from "./errors.ts";

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
  const base = `${url}`.replace(/\/*$/, "");
  const headers = { accept: "application/json", ...(key && { authorization: `Bearer ${key}` }) };
  const ask = async (
    method: "GET" | "POST",
    path: string,
    query: object,
    signal: AbortSignal,
    idempotencyKey?: string,
  ): Promise<unknown> => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const address = `${base}/v1/${path}?${new URLSearchParams(given)}`;
    const sent = idempotencyKey ? { ...headers, "idempotency-key": idempotencyKey } : headers;
    const response = await fetch(address, { method, headers: sent, signal });
    // Read whole: an answer that breaks off is none.
    const text = await response.text();
    const body = jsonOf(text);
    if (response.ok && body !== undefined) return body;
    if (response.ok) throw malformed(path);
    throw errorOf(body, response.status, secondsOf(response.headers.get("retry-after")));
  };
  const name = encodeURIComponent(namespace);
  return {
    // Not GET: a cache on the way that minds nothing would give the same IDs twice.
    blocks: (count, { idempotencyKey, ...placement }, signal) =>
      ask("POST", `blocks/${name}`, { ...placement, count }, signal, idempotencyKey),
    decode: (id, options, signal) =>
      ask("GET", `decode/${name}/${encodeURIComponent(id)}`, { ...options }, signal),
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

/** The answer of a route is not what the service answers there. */
export function malformed(route: string): EdgeflakeError {
  return new EdgeflakeError(`The answer is not one of /v1/${route}.`, { code: "malformed" });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}
