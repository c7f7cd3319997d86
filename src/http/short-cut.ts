/**
 * The shortest way through /v1/ids, in front of the router: for requests that need nothing but IDs as JSON,
 * whose caller and namespace this isolate knows, with no header that changes the answer.
 * It gives what the router gives, with the same headers; a test holds them against each other. Whatever it
 * cannot answer goes on to the router, an issuing that failed included.
 *
 * The router with its middleware costs about as much as all the rest of a request.
 */
import { type ApiKeyRecord, hasScope, mayUse } from "../core/api-key.ts";
import { remember } from "../core/remember.ts";
import type { Issued } from "../service/issued.ts";
import { type Namespace, namespaceInMemory } from "../service/namespaces.ts";
import { callerInMemory } from "./access.ts";
import { hasPlainHost } from "./host.ts";
import { idsJson } from "./id-texts.ts";
import { IDEMPOTENCY_KEY } from "./idempotency.ts";
import { type IdsRequest, type IssueText, readIdsQuery } from "./issue-query.ts";
import { SHORT_QUERIES_MAX } from "./limits.ts";
import { ISSUING_METHODS } from "./methods.ts";
import { originOf } from "./origin.ts";
import type { QueryText } from "./query.ts";

/** The headers of each answer. One object for all: a Response copies it when it is made. */
const HEADERS = new Headers({ "cache-control": "no-store", "content-type": "application/json" });
const INIT: ResponseInit = { headers: HEADERS };
let lastShard: number | undefined;

const PATH = "/v1/ids/";

const ANY_JSON: readonly (string | null)[] = [null, "*/*", "application/json"];

/** Queries whose text means itself: no percent, no plus, no parameter twice, none without a name. */
const PLAIN_QUERY = /^[a-zA-Z0-9=._-]+(?:&[a-zA-Z0-9=._-]+)*$/;

/** A query as it was read, for the namespace as it was then. */
interface KnownQuery {
  readonly namespace: Namespace;
  readonly asked: IdsRequest;
}

/** Queries that come again and again, by the URL from the namespace on. */
const known = new Map<string, KnownQuery>();

/** What a request without a query asks for. */
const ONE_ID = { count: 1, encoding: "decimal", format: "json" } as const;

/** A request in order, and whose it is. */
export interface ShortRequest extends IdsRequest {
  readonly caller: ApiKeyRecord;
  readonly namespace: Namespace;
}

/** The request, where it can take the short cut. */
export function readShort(request: Request, env: Env): ShortRequest | undefined {
  const { url } = request;
  const pathAt = url.indexOf("/", url.indexOf("//") + 2);
  if (!url.startsWith(PATH, pathAt) || !needsOnlyIds(request, env)) return undefined;
  const caller = callerInMemory(env, request);
  return caller && readRest(request, caller, url.slice(pathAt + PATH.length));
}

/** No body, and no header that asks for anything but JSON. */
function needsOnlyIds(request: Request, env: Env): boolean {
  const { body, headers, method } = request;
  return (
    hasPlainHost(request) &&
    body === null &&
    ISSUING_METHODS.includes(method) &&
    !env.CORS_ORIGINS &&
    ANY_JSON.includes(headers.get("accept"))
  );
}

/** The request, where the caller may make it. `rest` is the URL from the namespace on. */
function readRest(request: Request, caller: ApiKeyRecord, rest: string): ShortRequest | undefined {
  const queryAt = rest.indexOf("?");
  const name = queryAt < 0 ? rest : rest.slice(0, queryAt);
  const namespace = namespaceInMemory(name);
  if (!namespace || namespace.retired) return undefined;
  // An answer kept for its key is the router's to give.
  if (namespace.kind === "segment" && request.headers.has(IDEMPOTENCY_KEY)) return undefined;
  if (!hasScope(caller, "issue") || !mayUse(caller, name)) return undefined;
  const from = () => originOf(request);
  if (queryAt < 0) return { ...ONE_ID, placement: { strict: false, from }, caller, namespace };
  const read = known.get(rest);
  const asked = read?.namespace === namespace ? read.asked : readQuery(rest, queryAt, namespace);
  if (!asked) return undefined;
  return { ...asked, placement: { ...asked.placement, from }, caller, namespace };
}

function readQuery(rest: string, queryAt: number, namespace: Namespace): IdsRequest | undefined {
  const query = plainQuery(rest.slice(queryAt + 1));
  if (!query) return undefined;
  const text: IssueText = { query, acceptedFormat: () => "json", from: () => undefined };
  const read = readIdsQuery(text, namespace);
  if (!read.ok || read.value.format === "text") return undefined;
  // Keys differ from request to request.
  if (read.value.placement.key === undefined) {
    remember(known, rest, { namespace, asked: read.value }, SHORT_QUERIES_MAX);
  }
  return read.value;
}

function plainQuery(text: string): QueryText | undefined {
  if (!PLAIN_QUERY.test(text)) return undefined;
  const queries: Record<string, string[]> = {};
  for (const pair of text.split("&")) {
    const [name = "", value, more] = pair.split("=");
    if (name === "" || value === undefined || more !== undefined || queries[name]) return undefined;
    queries[name] = [value];
  }
  return { url: "", queries: () => queries };
}

export function shortAnswer(
  { encoding }: ShortRequest,
  { blocks, shard }: Extract<Issued, { ok: true }>,
): Response {
  if (shard !== lastShard) {
    HEADERS.set("edgeflake-shard", `${shard}`);
    lastShard = shard;
  }
  return new Response(idsJson(blocks, encoding), INIT);
}
