import { WorkerEntrypoint } from "cloudflare:workers";
import type {
  Answer,
  BlocksOptions,
  DecodeOptions,
  IdOptions,
  ParameterError,
  RpcProblem,
} from "./core/binding.ts";
import type { BlocksAnswer } from "./core/blocks-answer.ts";
import type { DecodedId } from "./core/decoded.ts";
import { centreOf, type GeoPoint, REGIONS } from "./core/regions.ts";
import { oneOfTakes } from "./core/takes.ts";
import { blocksAnswer } from "./http/blocks.ts";
import { readId } from "./http/decode.ts";
import { idTexts } from "./http/id-texts.ts";
import { type IssueText, type Read, readBlocksQuery, readIdsQuery } from "./http/issue-query.ts";
import { REGISTRY_RETRY_MS } from "./http/limits.ts";
import { pointOf } from "./http/origin.ts";
import { PROBLEM_KINDS, type ProblemCode } from "./http/problem.ts";
import { queryOf } from "./http/query.ts";
import { type IssueSource, issueBlocks, issueIds } from "./service/issue-ids.ts";
import type { Issued } from "./service/issued.ts";
import { findNamespace, type Namespace } from "./service/namespaces.ts";
import type { Placement } from "./service/pick-shard.ts";
import { RegistryUnavailableError } from "./service/registry-call.ts";

/** Owner of the idempotency keys of bindings whose props name no caller. */
const UNNAMED_CALLER = "rpc";
const CALLER_FORMAT = /^[!-~]{1,64}$/;

/** A refused call: an Error with the facts of the problem as its own properties, which RPC carries over. */
class RefusedError extends Error {
  readonly problem: RpcProblem;

  constructor(code: ProblemCode, detail: string, more: Partial<RpcProblem> = {}) {
    super(detail);
    this.problem = { code, status: PROBLEM_KINDS[code].status, definite: true, ...more };
    Object.assign(this, this.problem);
    Object.defineProperty(this, "problem", { enumerable: false });
  }
}

/**
 * IDs for Workers of the same account, by a service binding with `entrypoint = "Edgeflake"`.
 * A binding is trusted: no key, no limit. Its `props = { caller = "billing" }` give its idempotency keys an owner of
 * their own.
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
    options: BlocksOptions = {},
  ): Promise<BlocksAnswer> {
    const found = await this.#namespace(namespace, "issue");
    const text = this.#textOf({ ...options, count });
    const { count: most, placement } = okOf(readBlocksQuery(text, found));
    const issuing = issueBlocks(this.#source(found, placement), most);
    return blocksAnswer(await granted(issuing), found);
  }

  /** What an ID says. `encoding`: of the text, default `decimal`. */
  async decode(namespace: string, id: string, options?: DecodeOptions | null): Promise<DecodedId> {
    const found = await this.#namespace(namespace, "read");
    return okOf(readId(okOf(queryOf(options ?? {})), found, `${id}`));
  }

  /** `blocks`, with refusals as values: between two `wrangler dev` processes an Error keeps its message only. */
  blocksOrProblem(
    namespace: string,
    count: number,
    options?: BlocksOptions,
  ): Promise<Answer<BlocksAnswer>> {
    return answerOf(this.blocks(namespace, count, options));
  }

  /** `decode`, with refusals as values. */
  decodeOrProblem(
    namespace: string,
    id: string,
    options?: DecodeOptions,
  ): Promise<Answer<DecodedId>> {
    return answerOf(this.decode(namespace, id, options));
  }

  async #issue(name: string, count: number, options: IdOptions): Promise<string[]> {
    const namespace = await this.#namespace(name, "issue");
    // As over HTTP, but never as a stream.
    const text = this.#textOf({ ...options, count, format: "json" });
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
    // Callers need not be typed.
    const errors = textErrors({ namespace: name });
    okOf(errors.length > 0 ? { ok: false, errors } : { ok: true, value: undefined });
    const waitUntil = (work: Promise<unknown>): void => this.ctx.waitUntil(work);
    try {
      const namespace = await findNamespace(this.env.REGISTRY, name, waitUntil);
      if (!namespace) {
        throw new RefusedError("unknown_namespace", "There is no namespace of that name.");
      }
      if (use === "read" || !namespace.retired) return namespace;
    } catch (error) {
      if (!(error instanceof RegistryUnavailableError)) throw error;
      const retryAfterMs = REGISTRY_RETRY_MS;
      const detail = "The registry of namespaces does not answer; try again.";
      throw new RefusedError("registry_unavailable", detail, { retryAfterMs });
    }
    throw new RefusedError("namespace_retired", "The namespace is retired.");
  }

  /** The options of a call as the text of a request: a service binding has no Accept header. */
  #textOf({
    idempotencyKey,
    near,
    region,
    ...options
  }: BlocksOptions & Record<string, unknown>): IssueText {
    // Callers need not be typed: null or a number, read as a text, would be one key for all of them.
    const errors = [...textErrors({ idempotencyKey }), ...placeErrors(near, region)];
    const owner = ownerOf(this.ctx.props);
    if (owner === undefined) {
      errors.push({ parameter: "props.caller", detail: "takes 1 to 64 visible ASCII characters" });
    }
    okOf(errors.length > 0 ? { ok: false, errors } : { ok: true, value: undefined });
    return {
      query: okOf(queryOf(options)),
      acceptedFormat: () => "json",
      from: () => pointIn(near, region),
      idempotency: { key: idempotencyKey, owner: owner ?? UNNAMED_CALLER },
    };
  }
}

async function answerOf<Value>(work: Promise<Value>): Promise<Answer<Value>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { ok: false, problem: { ...error.problem, detail: error.message } };
  }
}

/** Whose idempotency keys a binding's are, by its props; undefined if they name a caller that can't be one. */
function ownerOf(props: unknown): string | undefined {
  if (typeof props !== "object" || props === null || !("caller" in props)) return UNNAMED_CALLER;
  const { caller } = props;
  const isName = typeof caller === "string" && CALLER_FORMAT.test(caller);
  return isName ? `${UNNAMED_CALLER}:${caller}` : undefined;
}

function textErrors(texts: Readonly<Record<string, unknown>>): ParameterError[] {
  return Object.entries(texts)
    .filter(([, text]) => text !== undefined && typeof text !== "string")
    .map(([parameter]) => ({ parameter, detail: "takes a text" }));
}

function placeErrors(near: unknown, region: unknown): ParameterError[] {
  const errors: ParameterError[] = [];
  if (near !== undefined && (typeof near !== "object" || near === null)) {
    errors.push({ parameter: "near", detail: "takes latitude and longitude, or request.cf" });
  }
  if (region !== undefined && !REGIONS.some((one) => one === region)) {
    errors.push({ parameter: "region", ...oneOfTakes(REGIONS) });
  }
  if (near !== undefined && region !== undefined) {
    errors.push({ parameter: "region", detail: "and near exclude each other" });
  }
  return errors;
}

function pointIn(
  near: BlocksOptions["near"],
  region: BlocksOptions["region"],
): GeoPoint | undefined {
  return region === undefined ? pointOf(near) : centreOf(region);
}

function okOf<Value>(read: Read<Value>): Value {
  if (read.ok) return read.value;
  const detail = read.errors.map((error) => `${error.parameter} ${error.detail}`).join("; ");
  throw new RefusedError("invalid_parameter", `${detail}.`, { errors: read.errors });
}

async function granted(issuing: Issued | Promise<Issued>): Promise<Extract<Issued, { ok: true }>> {
  let issued: Issued;
  try {
    issued = await issuing;
  } catch (cause) {
    const detail = "The request failed inside; IDs may have been skipped.";
    throw Object.assign(new RefusedError("internal", detail, { definite: false }), { cause });
  }
  if (issued.ok) return issued;
  const { code, detail, retryAfterMs } = issued.refusal;
  const { definite } = issued;
  throw new RefusedError(code, detail, {
    definite,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}
