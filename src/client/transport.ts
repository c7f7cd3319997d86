/** How requests get to the service: over HTTPS, or by a service binding. */
import type { DecodedId } from "../core/decoded.ts";
import { EdgeflakeError, errorOf, fieldsOf } from "./errors.ts";

/** Runs of consecutive IDs, as the service answers them. */
export interface BlocksAnswer {
  readonly blocks: readonly { readonly first: string; readonly count: number }[];
  readonly shard: number;
  readonly freshForMs: number;
}

/** Where IDs come from. At most one of `shard` and `key`. */
export interface Placement {
  readonly shard?: number | undefined;
  /** IDs for one key strictly increase. */
  readonly key?: string | undefined;
  readonly order?: "fresh" | "strict" | undefined;
}

/** A service binding to the entrypoint `Edgeflake`. */
export interface EdgeflakeBinding {
  blocks(namespace: string, count: number, options?: Placement): Promise<BlocksAnswer>;
  decode(namespace: string, id: string, options?: DecodeOptions): Promise<DecodedId>;
}

export interface DecodeOptions {
  /** Of the text: `decimal` (default), `hex`, `base32`, `base36`, `base58` or `base62`. */
  readonly encoding?: string | undefined;
}

/** Each answers what came, unread, or throws. */
export interface Transport {
  blocks(count: number, placement: Placement, signal: AbortSignal): Promise<unknown>;
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
    blocks: (count, placement) => said(binding.blocks(namespace, count, placement)),
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
  ): Promise<unknown> => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const address = `${base}/v1/${path}?${new URLSearchParams(given)}`;
    const response = await fetch(address, { method, headers, signal });
    // Read whole: an answer that breaks off is none.
    const text = await response.text();
    const body = jsonOf(text);
    if (response.ok && body !== undefined) return body;
    if (response.ok) throw new EdgeflakeError("The answer is no JSON.", { code: "malformed" });
    throw errorOf(body, response.status, secondsOf(response.headers.get("retry-after")));
  };
  const name = encodeURIComponent(namespace);
  return {
    // Not GET: a cache on the way that minds nothing would give the same IDs twice.
    blocks: (count, placement, signal) =>
      ask("POST", `blocks/${name}`, { ...placement, count }, signal),
    decode: (id, options, signal) =>
      ask("GET", `decode/${name}/${encodeURIComponent(id)}`, { ...options }, signal),
  };
}

/** Checks an answer of `count` IDs. Throws EdgeflakeError `malformed`. */
export function readBlocks(answer: unknown, count: number): BlocksAnswer {
  const { blocks, shard, freshForMs } = fieldsOf(answer);
  if (!Array.isArray(blocks) || typeof shard !== "number" || typeof freshForMs !== "number") {
    throw malformed();
  }
  const read = blocks.map((block: unknown) => {
    const { first, count: many } = fieldsOf(block);
    if (typeof first !== "string" || !/^\d{1,19}$/.test(first)) throw malformed();
    if (typeof many !== "number" || !Number.isSafeInteger(many) || many < 1) throw malformed();
    return { first, count: many };
  });
  if (read.reduce((sum, block) => sum + block.count, 0) !== count) throw malformed();
  return { blocks: read, shard, freshForMs };
}

function malformed(): EdgeflakeError {
  return new EdgeflakeError("The answer is not one of /v1/blocks.", { code: "malformed" });
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
