import { WorkerEntrypoint } from "cloudflare:workers";
import type { BlocksAnswer } from "./core/blocks-answer.ts";
import type { Encoding } from "./core/codec.ts";
import type { DecodedId } from "./core/decoded.ts";
import { blocksAnswer } from "./http/blocks.ts";
import { readId } from "./http/decode.ts";
import { idTexts } from "./http/id-texts.ts";
import { type IssueText, type Read, readBlocksQuery, readIdsQuery } from "./http/issue-query.ts";
import { REGISTRY_RETRY_MS } from "./http/limits.ts";
import { type ParameterError, PROBLEM_KINDS, type ProblemCode } from "./http/problem.ts";
import { queryOf } from "./http/query.ts";
import { type IssueSource, issueBlocks, issueIds } from "./service/issue-ids.ts";
import type { Issued } from "./service/issued.ts";
import { findNamespace, type Namespace } from "./service/namespaces.ts";
import type { Placement } from "./service/pick-shard.ts";
import { RegistryUnavailableError } from "./service/registry-call.ts";

/** Where IDs come from, as in the query of /v1/ids. At most one of `shard` and `key`. */
export interface PlacementOptions {
  readonly shard?: number;
  /** IDs for one key strictly increase. */
  readonly key?: string;
  readonly order?: "fresh" | "strict";
  /** Of segments: the same key gets the same IDs again, for a day. 1 to 255 visible ASCII characters. */
  readonly idempotencyKey?: string;
}

/** Whose idempotency keys those of service bindings are. */
const RPC_CALLER = "rpc";

export interface IdOptions extends PlacementOptions {
  /** Default `decimal`. */
  readonly encoding?: Encoding;
}

/** What the methods throw: an Error with these as its own properties, which RPC carries over. */
export interface RpcProblem {
  readonly code: ProblemCode;
  readonly status: number;
  /** True: refused before anything was granted. False: IDs may have been skipped. */
  readonly definite: boolean;
  /** When to try again; absent where time does not help. */
  readonly retryAfterMs?: number;
  /** Every bad argument with what it takes. */
  readonly errors?: readonly ParameterError[];
}

/**
 * IDs for Workers of the same account, by a service binding with `entrypoint = "Edgeflake"`.
 * A binding is trusted: no key, no limit. Whatever cannot be answered throws an Error with an RpcProblem's
 * properties, with the codes of the HTTP API.
 */
export class Edgeflake extends WorkerEntrypoint<Env> {
  /** One ID. */
  async nextId(namespace: string, options: IdOptions = {}): Promise<string> {
    const [id = ""] = await this.#issue(namespace, 1, options);
    return id;
  }

  /** `count` IDs, 1 to 10,000. */
  nextIds(namespace: string, count: number, options: IdOptions = {}): Promise<string[]> {
    return this.#issue(namespace, count, options);
  }

  /** `count` IDs, 1 to 1,000,000, as runs of consecutive ones. */
  async blocks(
    namespace: string,
    count: number,
    options: PlacementOptions = {},
  ): Promise<BlocksAnswer> {
    const found = await this.#namespace(namespace, "issue");
    const text = textOf({ ...options, count });
    const { count: most, placement } = okOf(readBlocksQuery(text, found));
    const issuing = issueBlocks(this.#source(found, placement), most);
    return blocksAnswer(await granted(issuing), found);
  }

  /** What an ID says. `encoding`: of the text, default `decimal`. */
  async decode(
    namespace: string,
    id: string,
    options: { readonly encoding?: Encoding } = {},
  ): Promise<DecodedId> {
    const found = await this.#namespace(namespace, "read");
    return okOf(readId(queryFrom(options), found, `${id}`));
  }

  async #issue(name: string, count: number, options: IdOptions): Promise<string[]> {
    const namespace = await this.#namespace(name, "issue");
    // As over HTTP, but never as a stream.
    const text = textOf({ ...options, count, format: "json" });
    const request = okOf(readIdsQuery(text, namespace));
    const source = this.#source(namespace, request.placement);
    const issued = await granted(issueIds(source, request.count));
    return idTexts(issued.blocks, request.encoding);
  }

  #source(namespace: Namespace, placement: Placement): IssueSource {
    const { SHARD: shards, SEGMENTS: segments } = this.env;
    const waitUntil = (work: Promise<unknown>): void => this.ctx.waitUntil(work);
    return { shards, segments, namespace, placement, waitUntil };
  }

  async #namespace(name: string, use: "issue" | "read"): Promise<Namespace> {
    const waitUntil = (work: Promise<unknown>): void => this.ctx.waitUntil(work);
    try {
      const namespace = await findNamespace(this.env.REGISTRY, `${name}`, waitUntil);
      if (!namespace) throw problem("unknown_namespace", `There is no namespace ${name}.`);
      if (use === "read" || !namespace.retired) return namespace;
    } catch (error) {
      if (!(error instanceof RegistryUnavailableError)) throw error;
      const retryAfterMs = REGISTRY_RETRY_MS;
      const detail = "The registry of namespaces does not answer; try again.";
      throw problem("registry_unavailable", detail, { retryAfterMs });
    }
    throw problem("namespace_retired", `The namespace ${name} is retired.`);
  }
}

/** The options of a call as the text of a request. A service binding has no Accept header, and says not where the caller is. */
function textOf({
  idempotencyKey,
  ...options
}: PlacementOptions & Record<string, unknown>): IssueText {
  // Callers need not be typed: null or a number, read as a text, would be one key for all of them.
  if (idempotencyKey !== undefined && typeof idempotencyKey !== "string") {
    const errors = [{ parameter: "idempotencyKey", detail: "takes a text" }];
    okOf({ ok: false, errors });
  }
  return {
    query: queryFrom(options),
    acceptedFormat: () => "json",
    from: () => undefined,
    idempotency: { key: idempotencyKey, owner: RPC_CALLER },
  };
}

function queryFrom(options: object) {
  return okOf(queryOf(options));
}

function okOf<Value>(read: Read<Value>): Value {
  if (read.ok) return read.value;
  const detail = read.errors.map((error) => `${error.parameter} ${error.detail}`).join("; ");
  throw problem("invalid_parameter", `${detail}.`, { errors: read.errors });
}

async function granted(issuing: Issued | Promise<Issued>): Promise<Extract<Issued, { ok: true }>> {
  let issued: Issued;
  try {
    issued = await issuing;
  } catch (cause) {
    const detail = "The request failed inside; IDs may have been skipped.";
    throw Object.assign(problem("internal", detail, { definite: false }), { cause });
  }
  if (issued.ok) return issued;
  const { code, detail, retryAfterMs } = issued.refusal;
  const { definite } = issued;
  throw problem(code, detail, { definite, ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

function problem(code: ProblemCode, detail: string, more: Partial<RpcProblem> = {}): Error {
  const facts: RpcProblem = { code, status: PROBLEM_KINDS[code].status, definite: true, ...more };
  return Object.assign(new Error(detail), facts);
}
