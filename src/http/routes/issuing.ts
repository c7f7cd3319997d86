/**
 * Serves requests for IDs: /v1/ids and /v1/blocks. It needs no router, so that the Worker can call it directly. A
 * request that this isolate can serve from memory creates no promise.
 */
import type { ApiKeyRecord } from "../../core/api-key.ts";
import { failed, type Outcome, type Problem } from "../../core/problem.ts";
import { pointOf } from "../../service/geo.ts";
import { after } from "../../service/issue/after.ts";
import type { Client } from "../../service/issue/issue.ts";
import { type Given, IDEMPOTENCY_KEY } from "../../service/issue/issue-request.ts";
import { isRefusal, problemOfError } from "../../service/issue/problem-of-error.ts";
import { paramsOfUrl } from "../../service/params.ts";
import { authorise, type Surroundings } from "../../service/registry/authorise.ts";
import type { Namespace } from "../../service/registry/namespaces.ts";
import { callerOf } from "../middleware/access.ts";
import { BAD_HOST, hasPlainHost } from "../middleware/host.ts";
import { logFailure } from "../middleware/log.ts";
import { REQUEST_ID, requestIdOf } from "../middleware/request-id.ts";
import { BODY_WAIT_MS } from "../parse/limits.ts";
import { ISSUING_METHODS, methodNotAllowed } from "../reply/methods.ts";
import { problemParts } from "../reply/problem.ts";

/** Issues IDs and writes the response. `cut` logs that a started response can't finish. */
export type Respond = (
  client: Client,
  cut: (code: Problem["code"]) => void,
) => Outcome<Response> | Promise<Outcome<Response>>;

/** A route that issues IDs. */
export interface IssuingRoute {
  readonly route: Client["route"];
  /** Parses a request. */
  readonly parse: (given: Given, namespace: Namespace, headers: Headers) => Outcome<Respond>;
}

/** One request, with its caller once that is known, for the log. */
interface Exchange extends Surroundings {
  readonly request: Request;
  /** The request's URL, read once: each read is a call of the platform. */
  readonly url: string;
  readonly headers: Headers;
  /** The route's pattern. */
  readonly pattern: string;
  /** The namespace's name in the path. */
  readonly name: string;
  caller: ApiKeyRecord | undefined;
}

const HAS_BODY: Problem = {
  code: "invalid_body",
  detail: "This route accepts no body; send all parameters in the query.",
};

/** Serves a request of `route` for the namespace `name`, with any method. Never throws. */
export function serveIssuing(
  route: IssuingRoute,
  name: string,
  request: Request,
  { env, waitUntil }: Surroundings,
): Response | Promise<Response> {
  const pattern = `/v1/${route.route}/:namespace`;
  const { url, headers } = request;
  const facts = { request, url, headers, pattern, name };
  const exchange: Exchange = { ...facts, env, waitUntil, caller: undefined };
  const fail = (error: unknown) => failure(exchange, problemOfError(error), error);
  try {
    const outcome = outcomeOf(route, exchange);
    return outcome instanceof Promise
      ? outcome.then((settled) => finish(exchange, settled), fail)
      : finish(exchange, outcome);
  } catch (error) {
    return fail(error);
  }
}

/** Authorises and parses a request, and issues its IDs. */
function outcomeOf(
  { route, parse }: IssuingRoute,
  exchange: Exchange,
): Outcome<Response> | Promise<Outcome<Response>> {
  const { request, headers, env, name } = exchange;
  if (!hasPlainHost(exchange)) return failed(BAD_HOST);
  return after(callerOf(exchange, exchange, true), (caller) => {
    if (!caller.ok) return caller;
    exchange.caller = caller.value;
    // HEAD would issue IDs without returning them.
    if (!ISSUING_METHODS.includes(request.method)) return failed(methodNotAllowed(ISSUING_METHODS));
    return after(authorise(exchange, caller.value, "issue", name), (found) => {
      if (!found.ok) return found;
      return after(hasBody(request), (has) => {
        if (has) return failed(HAS_BODY);
        const respond = parse(givenOf(exchange, caller.value), found.value, headers);
        if (!respond.ok) return respond;
        const { waitUntil } = exchange;
        const client: Client = { env, waitUntil, route, caller: caller.value, headers };
        return respond.value(client, (code) => logCut(exchange, code));
      });
    });
  });
}

function givenOf({ request, url, headers }: Exchange, { id }: ApiKeyRecord): Given {
  return {
    params: paramsOfUrl(url),
    from: () => pointOf(request.cf),
    idempotencyKey: () => headers.get(IDEMPOTENCY_KEY) ?? undefined,
    owner: id,
  };
}

function finish(exchange: Exchange, outcome: Outcome<Response>): Response {
  return outcome.ok ? outcome.value : failure(exchange, outcome.problem);
}

/** Logs a failed request, and makes its response. */
function failure(exchange: Exchange, problem: Problem, error?: unknown): Response {
  const requestId = requestIdOf(exchange.headers);
  const [body, status, headers] = problemParts(problem, requestId);
  logFailure({
    ...logged(exchange, requestId, problem.code),
    status,
    ...(error !== undefined && !isRefusal(error) && { error }),
  });
  const isHead = exchange.request.method === "HEAD";
  return new Response(isHead ? null : body, {
    status,
    headers: { ...headers, [REQUEST_ID]: requestId },
  });
}

function logCut(exchange: Exchange, code: Problem["code"]): void {
  const facts = logged(exchange, requestIdOf(exchange.headers), code);
  logFailure({ ...facts, status: 200, cut: true });
}

function logged({ request, pattern, caller }: Exchange, requestId: string, code: Problem["code"]) {
  return { requestId, method: request.method, route: pattern, code, caller };
}

/** Whether a request has a body. Reads at most the first chunk, and waits for it up to BODY_WAIT_MS. */
function hasBody({ body, headers }: Request): boolean | Promise<boolean> {
  if (!body) return false;
  const length = headers.get("content-length");
  return length === null ? hasBytes(body) : length !== "0";
}

async function hasBytes(body: ReadableStream<Uint8Array>): Promise<boolean> {
  const reader = body.getReader();
  const late = scheduler.wait(BODY_WAIT_MS).then(() => ({ done: false, value: undefined }));
  try {
    const { done, value } = await Promise.race([reader.read(), late]);
    return !done && value?.length !== 0;
  } catch {
    // An incomplete body is also a body.
    return true;
  }
}
