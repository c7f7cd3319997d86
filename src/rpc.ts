import { WorkerEntrypoint } from "cloudflare:workers";
import { anyOf } from "./core/allowed.ts";
import type { ApiKeyRecord } from "./core/api-key.ts";
import type {
  Answer,
  BlocksOptions,
  DecodeOptions,
  IdOptions,
  ParameterError,
  RpcProblem,
} from "./core/binding.ts";
import { type BlocksAnswer, blocksAnswer } from "./core/blocks/blocks-answer.ts";
import type { DecodedId } from "./core/layout/decoded.ts";
import { invalidParameters, type Outcome, PROBLEM_KINDS, type Problem } from "./core/problem.ts";
import { centreOf, REGIONS } from "./core/regions.ts";
import type { Granted } from "./service/calls/issued.ts";
import { pointOf } from "./service/geo.ts";
import { decodeId } from "./service/issue/decode.ts";
import { idTexts } from "./service/issue/id-texts.ts";
import { type Client, type IssueResult, issueBlocks, issueIds } from "./service/issue/issue.ts";
import { type Given, parseBlocksRequest, parseIdsRequest } from "./service/issue/issue-request.ts";
import { problemOfError } from "./service/issue/problem-of-error.ts";
import { paramsOfOptions } from "./service/params.ts";
import { authorise, type Surroundings } from "./service/registry/authorise.ts";
import { freshForMsOf, type Namespace } from "./service/registry/namespaces.ts";

/** Owner of the idempotency keys of bindings without a caller in their props. */
const UNNAMED_CALLER = "rpc";
const CALLER_FORMAT = /^[!-~]{1,64}$/;

/** The error of a rejected call. The problem's fields are its own properties, because RPC preserves those. */
class ProblemError extends Error {
  readonly problem: RpcProblem;

  constructor({ code, detail, definite = true, retryAfterMs, errors }: Problem) {
    super(detail);
    this.problem = {
      code,
      status: PROBLEM_KINDS[code].status,
      definite,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(errors && { errors: errors.filter((error) => "parameter" in error) }),
    };
    Object.assign(this, this.problem);
    Object.defineProperty(this, "problem", { enumerable: false });
  }
}

/**
 * Issues IDs to Workers of the same account, over a service binding with `entrypoint = "Edgeflake"`. A binding is
 * trusted: it needs no key and has no rate limit. With `props = { caller = "billing" }`, its idempotency keys are
 * separate from those of other bindings.
 */
export class Edgeflake extends WorkerEntrypoint<Env> {
  /** Issues one ID. */
  async nextId(namespace: string, options: IdOptions = {}): Promise<string> {
    const [id = ""] = await this.#issue(namespace, 1, options);
    return id;
  }

  /** Issues `count` IDs, 1 to 10,000. */
  nextIds(namespace: string, count: number, options: IdOptions = {}): Promise<string[]> {
    return this.#issue(namespace, count, options);
  }

  /** Issues `count` IDs, 1 to 1,000,000, as runs of consecutive IDs. */
  async blocks(
    namespace: string,
    count: number,
    options: BlocksOptions = {},
  ): Promise<BlocksAnswer> {
    const found = await this.#namespace(namespace, "issue");
    const request = okOf(parseBlocksRequest(this.#givenOf({ ...options, count }), found));
    const { blocks, shard } = await granted(issueBlocks(this.#client(), request));
    return blocksAnswer(blocks, shard, freshForMsOf(found));
  }

  /** Decodes an ID into its fields. `encoding`: the text form of `id`, default `decimal`. */
  async decode(namespace: string, id: string, options?: DecodeOptions | null): Promise<DecodedId> {
    const found = await this.#namespace(namespace, "read");
    return okOf(decodeId(paramsOfOptions(options ?? {}), found, `${id}`));
  }

  /**
   * Like `blocks`, but returns problems as values: between two `wrangler dev` processes, errors lose their properties.
   */
  blocksOrProblem(
    namespace: string,
    count: number,
    options?: BlocksOptions,
  ): Promise<Answer<BlocksAnswer>> {
    return answerOf(this.blocks(namespace, count, options));
  }

  /** Like `decode`, but returns problems as values. */
  decodeOrProblem(
    namespace: string,
    id: string,
    options?: DecodeOptions,
  ): Promise<Answer<DecodedId>> {
    return answerOf(this.decode(namespace, id, options));
  }

  async #issue(name: string, count: number, options: IdOptions): Promise<string[]> {
    const namespace = await this.#namespace(name, "issue");
    // The format is always json: RPC has no text streams.
    const given = this.#givenOf({ ...options, count, format: "json" });
    const request = okOf(parseIdsRequest(given, namespace, () => "json"));
    const { blocks } = await granted(issueIds(this.#client(), request));
    return idTexts(blocks, request.encoding);
  }

  #surroundings(): Surroundings {
    return { env: this.env, waitUntil: (work) => this.ctx.waitUntil(work) };
  }

  #client(): Client {
    return { ...this.#surroundings(), route: "rpc", caller: callerOf(this.ctx.props) };
  }

  async #namespace(name: string, scope: "issue" | "read"): Promise<Namespace> {
    // Callers may be untyped.
    reject(textErrors({ namespace: name }));
    const caller = callerOf(this.ctx.props);
    try {
      return okOf(await authorise(this.#surroundings(), caller, scope, name));
    } catch (error) {
      throw error instanceof ProblemError ? error : faultOf(error, true);
    }
  }

  /** Converts the options of a call to request parameters. */
  #givenOf({
    idempotencyKey,
    near,
    region,
    ...options
  }: BlocksOptions & Record<string, unknown>): Given {
    // Callers may be untyped: null or a number, converted to text, would be one key for all of them.
    reject([...textErrors({ idempotencyKey }), ...placeErrors(near, region)]);
    const params = paramsOfOptions(options);
    reject(params.errors);
    const from = () => (region === undefined ? pointOf(near) : centreOf(region));
    return {
      params,
      from,
      idempotencyKey: () => idempotencyKey,
      owner: callerOf(this.ctx.props).id,
    };
  }
}

async function answerOf<Value>(work: Promise<Value>): Promise<Answer<Value>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { ok: false, problem: { ...error.problem, detail: error.message } };
  }
}

/** The caller in a binding's props, which owns its idempotency keys. Throws ProblemError if it is malformed. */
function callerOf(props: unknown): ApiKeyRecord {
  let id = UNNAMED_CALLER;
  if (typeof props === "object" && props !== null && "caller" in props) {
    const { caller } = props;
    if (typeof caller !== "string" || !CALLER_FORMAT.test(caller)) {
      reject([{ parameter: "props.caller", detail: "must be 1 to 64 visible ASCII characters" }]);
    }
    id = `${UNNAMED_CALLER}:${caller}`;
  }
  return { id, scopes: ["issue", "read"], createdMs: 0 };
}

function textErrors(texts: Readonly<Record<string, unknown>>): ParameterError[] {
  return Object.entries(texts)
    .filter(([, text]) => text !== undefined && typeof text !== "string")
    .map(([parameter]) => ({ parameter, detail: "must be a string" }));
}

function placeErrors(near: unknown, region: unknown): ParameterError[] {
  const errors: ParameterError[] = [];
  if (near !== undefined && (typeof near !== "object" || near === null)) {
    errors.push({
      parameter: "near",
      detail: "must be an object with latitude and longitude, such as request.cf",
    });
  }
  if (region !== undefined && !REGIONS.some((one) => one === region)) {
    errors.push({ parameter: "region", ...anyOf(REGIONS) });
  }
  if (near !== undefined && region !== undefined) {
    errors.push({ parameter: "region", detail: "and near are mutually exclusive" });
  }
  return errors;
}

function reject(errors: readonly ParameterError[]): void {
  if (errors.length > 0) throw new ProblemError(invalidParameters(errors));
}

function okOf<Value>(outcome: Outcome<Value>): Value {
  if (outcome.ok) return outcome.value;
  throw new ProblemError(outcome.problem);
}

async function granted(issuing: IssueResult | Promise<IssueResult>): Promise<Granted> {
  let issued: IssueResult;
  try {
    issued = await issuing;
  } catch (cause) {
    throw faultOf(cause, false);
  }
  if (issued.ok) return issued;
  throw new ProblemError(issued.problem);
}

/** Logs an internal error and wraps it for the caller. `definite`: no ID can have been issued. */
function faultOf(cause: unknown, definite: boolean): ProblemError {
  const { error, stack } =
    cause instanceof Error ? { error: cause.message, stack: cause.stack } : { error: `${cause}` };
  console.error(JSON.stringify({ route: "rpc", error, stack }));
  const problem = problemOfError(cause);
  const detail = definite
    ? "Internal error; nothing was issued."
    : "Internal error; IDs may have been skipped.";
  const said = problem.code === "internal" ? { ...problem, detail, definite } : problem;
  return Object.assign(new ProblemError(said), { cause });
}
