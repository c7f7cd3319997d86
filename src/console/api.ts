/** Requests to the service that this page came from. */
import { jsonOf } from "../core/json.ts";
import { noteKeyRequired, savedKey } from "./session.ts";

/** A rejected request, an unexpected response, or none. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The problem's code; `unreachable` without a response, `unreadable` if it is unexpected. */
  readonly code: string;
  /** 0 without a response. */
  readonly status: number;
  /** When to retry, in ms from now; 0 if unknown. */
  readonly retryAfterMs: number;
  /** Whether the service may have made the change despite the error. */
  readonly isInDoubt: boolean;
  /** The requested namespace if it does not exist; empty for any other error. */
  readonly unknownNamespace: string;

  constructor(message: string, about: About) {
    super(message);
    this.code = about.code;
    this.status = about.status;
    this.retryAfterMs = about.retryAfterMs ?? 0;
    this.isInDoubt = about.isInDoubt ?? false;
    this.unknownNamespace = about.unknownNamespace ?? "";
  }
}

interface About {
  readonly code: string;
  readonly status: number;
  readonly retryAfterMs?: number;
  readonly isInDoubt?: boolean;
  readonly unknownNamespace?: string;
}

/** The same error, prefixed with its subject. */
export function problemOf(what: string, cause: unknown): unknown {
  return cause instanceof ApiError ? new ApiError(`${what}: ${cause.message}`, cause) : cause;
}

/** The timeout of a request, in ms: longer than any wait that a namespace may allow. */
const ANSWER_MAX_MS = 15_000;
const UNAUTHORIZED = 401;
/** Longer texts of a response are cut, in characters: the service's own are shorter. */
const DETAIL_CHARS_MAX = 1000;
/** Most objects of one list: pages of the service are shorter, and more would block the browser. */
const LIST_MAX = 1000;

export type Json = Readonly<Record<string, unknown>>;

interface Asked {
  readonly method?: "DELETE" | "GET" | "PATCH" | "POST" | "PUT";
  readonly body?: unknown;
  /** Headers besides those of the key. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Whether a 2xx response is one of that route. Default: any object is. */
  readonly isAnswer?: (answer: Json) => boolean;
}

/** Requests a path. Resolves to the JSON object of a 2xx response, `{}` if it is empty. Throws ApiError. */
export async function ask(path: string, asked: Asked = {}): Promise<Json> {
  const { signal } = asked;
  const ended = new AbortController();
  const end = (): void => ended.abort();
  signal?.addEventListener("abort", end);
  const timer = setTimeout(end, ANSWER_MAX_MS);
  try {
    const response = await fetch(path, { ...requestOf(asked), signal: ended.signal });
    return await answerOf(response, path, asked);
  } catch (cause) {
    if (cause instanceof ApiError || signal?.aborted) throw cause;
    throw new ApiError("The service does not answer.", {
      code: "unreachable",
      status: 0,
      isInDoubt: changes(asked),
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}

function changes({ method = "GET" }: Asked): boolean {
  return method !== "GET";
}

function requestOf({ method = "GET", body, headers: more = {} }: Asked): RequestInit {
  const headers = new Headers({ ...more, accept: "application/json" });
  const key = savedKey();
  if (key !== "") headers.set("authorization", `Bearer ${key}`);
  const init: RequestInit = {
    method,
    headers,
    cache: "no-store",
    credentials: "omit",
    // The service never redirects; no other server may get the key.
    redirect: "manual",
  };
  if (body === undefined) return init;
  headers.set("content-type", method === "PATCH" ? MERGE_PATCH : "application/json");
  return { ...init, body: JSON.stringify(body) };
}

/** A JSON merge patch (RFC 7396). */
const MERGE_PATCH = "application/merge-patch+json";

async function answerOf(response: Response, path: string, asked: Asked): Promise<Json> {
  if (response.type === "opaqueredirect") {
    throw new ApiError("A proxy redirected the request; the console does not follow redirects.", {
      code: "redirected",
      status: 0,
    });
  }
  const answer = objectOf(await response.text());
  if (!response.ok) throw refusalOf(response, answer ?? {}, path, asked);
  if (answer && (asked.isAnswer?.(answer) ?? true)) return answer;
  throw new ApiError(
    "Unexpected response: a proxy may have answered, or the service has another version.",
    { code: "unreadable", status: response.status, isInDoubt: changes(asked) },
  );
}

function refusalOf(
  { status, headers }: Response,
  answer: Json,
  path: string,
  asked: Asked,
): ApiError {
  if (status === UNAUTHORIZED) noteKeyRequired();
  const { detail, code, definite, retryAfterMs } = answer;
  const laterMs = numberOf(retryAfterMs, laterIn(headers.get("retry-after")));
  return new ApiError(shortened(textOf(detail).trim()) || statusWords(status), {
    code: textOf(code, "unknown"),
    status,
    retryAfterMs: Math.max(0, laterMs),
    isInDoubt: status >= 500 && definite !== true && changes(asked),
    unknownNamespace: code === "unknown_namespace" ? namespaceOf(path) : "",
  });
}

/** The namespace of a path such as `/v1/ids/{namespace}?count=1`. */
function namespaceOf(path: string): string {
  return /^\/v1\/[a-z]+\/([^/?]+)/.exec(path)?.[1] ?? "";
}

/** For a response without a text of its own, usually a proxy's. */
function statusWords(status: number): string {
  if (status === 429) return "Rate limit exceeded (429).";
  if (status >= 500) return `The service failed (${status}).`;
  return `The service responded with status ${status}.`;
}

/** Retry-After in ms, from seconds or a date; 0 if it is neither. */
function laterIn(header: string | null): number {
  if (header === null) return 0;
  if (/^\d+$/.test(header)) return numberOf(Number(header) * 1000);
  return numberOf(Date.parse(header) - Date.now());
}

function shortened(text: string): string {
  return text.length > DETAIL_CHARS_MAX ? `${text.slice(0, DETAIL_CHARS_MAX)} …` : text;
}

/** The value if it is a text, else `other`. */
export function textOf(value: unknown, other = ""): string {
  return typeof value === "string" ? value : other;
}

/** The value if it is an exact number, else `other`. */
export function numberOf(value: unknown, other = 0): number {
  return isNumber(value) ? value : other;
}

/** Whether it is an exact number: JSON allows larger ones. */
export function isNumber(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/** The objects of a list; empty if the value is no list. */
export function objectsOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Whether it is a list of such objects, no longer than LIST_MAX. */
export function isListOf(value: unknown, isOne: (one: Json) => boolean): boolean {
  if (!Array.isArray(value) || value.length > LIST_MAX) return false;
  return value.every((one) => isObject(one) && isOne(one));
}

/** Whether the response is empty, as of a DELETE. */
export function isNothing(answer: Json): boolean {
  return Object.keys(answer).length === 0;
}

/** The value if it is an object, else an empty one. */
export function objectIn(value: unknown): Json {
  return isObject(value) ? value : {};
}

function objectOf(text: string): Json | undefined {
  const value = text === "" ? {} : jsonOf(text);
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
