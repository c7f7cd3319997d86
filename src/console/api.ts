/** Requests to the service that this page came from. */
import { jsonOf } from "../core/json.ts";
import { savedKey } from "./session.ts";

/** What the service refused, that its answer is none, or that it did not answer. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The problem's code; `unreachable` where no answer came, `unreadable` where it cannot be one. */
  readonly code: string;
  /** 0 where no answer came. */
  readonly status: number;
  /** When to ask again, in ms; 0 where time does not help. */
  readonly retryAfterMs: number;
  /** Whether what was to be changed may be changed nonetheless. */
  readonly isInDoubt: boolean;

  constructor(message: string, about: About) {
    super(message);
    this.code = about.code;
    this.status = about.status;
    this.retryAfterMs = about.retryAfterMs ?? 0;
    this.isInDoubt = about.isInDoubt ?? false;
  }
}

interface About {
  readonly code: string;
  readonly status: number;
  readonly retryAfterMs?: number;
  readonly isInDoubt?: boolean;
}

/** The same problem, with what it is a problem of. */
export function problemOf(what: string, cause: unknown): unknown {
  return cause instanceof ApiError ? new ApiError(`${what}: ${cause.message}`, cause) : cause;
}

/** How long an answer is waited for, in ms: longer than any wait that a namespace may allow. */
const ANSWER_MAX_MS = 15_000;
/** A text of an answer that is longer is cut, in characters: the service's own are shorter. */
const DETAIL_CHARS_MAX = 1000;
/** Objects of one list. No page of the service's has as many, and more would stop the browser. */
const LIST_MAX = 1000;

export type Json = Readonly<Record<string, unknown>>;

interface Asked {
  readonly method?: "DELETE" | "GET" | "POST" | "PUT";
  readonly body?: unknown;
  /** Beside the key's. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Whether a good answer is one to that question; any object is, unless told. */
  readonly isAnswer?: (answer: Json) => boolean;
}

/** Asks for a path; the JSON object of a good answer, `{}` of an empty one. Throws ApiError. */
export async function ask(path: string, asked: Asked = {}): Promise<Json> {
  const { signal } = asked;
  const ended = new AbortController();
  const end = (): void => ended.abort();
  signal?.addEventListener("abort", end);
  const timer = setTimeout(end, ANSWER_MAX_MS);
  try {
    return await answerOf(await fetch(path, { ...requestOf(asked), signal: ended.signal }), asked);
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
    // The service leads nowhere else; what does is not to get the key.
    redirect: "manual",
  };
  if (body === undefined) return init;
  headers.set("content-type", "application/json");
  return { ...init, body: JSON.stringify(body) };
}

async function answerOf(response: Response, asked: Asked): Promise<Json> {
  if (response.type === "opaqueredirect") {
    throw new ApiError("Something before the service leads elsewhere: the console stays here.", {
      code: "redirected",
      status: 0,
    });
  }
  const answer = objectOf(await response.text());
  if (!response.ok) throw refusalOf(response, answer ?? {}, asked);
  if (answer && (asked.isAnswer?.(answer) ?? true)) return answer;
  throw new ApiError(
    "What came is no answer of this service: another may stand before it, or it is of another version.",
    { code: "unreadable", status: response.status, isInDoubt: changes(asked) },
  );
}

function refusalOf({ status, headers }: Response, answer: Json, asked: Asked): ApiError {
  const { detail, code, definite, retryAfterMs } = answer;
  const laterMs = numberOf(retryAfterMs, laterIn(headers.get("retry-after")));
  return new ApiError(shortened(textOf(detail).trim()) || statusWords(status), {
    code: textOf(code, "unknown"),
    status,
    retryAfterMs: Math.max(0, laterMs),
    isInDoubt: status >= 500 && definite !== true && changes(asked),
  });
}

/** Where an answer says nothing itself: one of a proxy's, most often. */
function statusWords(status: number): string {
  if (status === 429) return "Too much was asked for in a short time (429).";
  if (status >= 500) return `The service cannot do that now (${status}).`;
  return `The service answers ${status}.`;
}

/** Retry-After in ms: seconds or a date; 0 where it is neither. */
function laterIn(header: string | null): number {
  if (header === null) return 0;
  if (/^\d+$/.test(header)) return numberOf(Number(header) * 1000);
  return numberOf(Date.parse(header) - Date.now());
}

function shortened(text: string): string {
  return text.length > DETAIL_CHARS_MAX ? `${text.slice(0, DETAIL_CHARS_MAX)} …` : text;
}

/** A text, or `other` where it is none. */
export function textOf(value: unknown, other = ""): string {
  return typeof value === "string" ? value : other;
}

/** A number that is exact, or `other` where it is none. */
export function numberOf(value: unknown, other = 0): number {
  return isNumber(value) ? value : other;
}

/** Whether it is a number that can be reckoned with: JSON's may be larger than any. */
export function isNumber(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/** The objects of a list; none where it is no list. */
export function objectsOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Whether it is a list of such objects, no longer than a page can be. */
export function isListOf(value: unknown, isOne: (one: Json) => boolean): boolean {
  if (!Array.isArray(value) || value.length > LIST_MAX) return false;
  return value.every((one) => isObject(one) && isOne(one));
}

/** Whether nothing is said: what a DELETE is answered with. */
export function isNothing(answer: Json): boolean {
  return Object.keys(answer).length === 0;
}

/** An object, empty where it is none. */
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
