/** Requests to the service that this page came from. */
import { savedKey } from "./session.ts";

/** What the service refused, or that it did not answer. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The problem's code; `unreachable` where no answer came. */
  readonly code: string;
  /** 0 where no answer came. */
  readonly status: number;
  /** When to ask again, in ms; 0 where time does not help. */
  readonly retryAfterMs: number;

  constructor(
    message: string,
    { code, status, retryAfterMs = 0 }: { code: string; status: number; retryAfterMs?: number },
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** How long an answer is waited for, in ms: longer than any wait that a namespace may allow. */
const ANSWER_MAX_MS = 15_000;

export type Json = Readonly<Record<string, unknown>>;

interface Asked {
  readonly method?: "DELETE" | "GET" | "POST" | "PUT";
  readonly body?: unknown;
  /** Beside the key's. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Asks for a path; the JSON object of a good answer, `{}` of an empty one. Throws ApiError. */
export async function ask(path: string, asked: Asked = {}): Promise<Json> {
  const { signal } = asked;
  const ended = new AbortController();
  const end = (): void => ended.abort();
  signal?.addEventListener("abort", end);
  const timer = setTimeout(end, ANSWER_MAX_MS);
  try {
    return await answerOf(await fetch(path, { ...requestOf(asked), signal: ended.signal }));
  } catch (cause) {
    if (cause instanceof ApiError || signal?.aborted) throw cause;
    throw new ApiError("The service does not answer.", { code: "unreachable", status: 0 });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}

function requestOf({ method = "GET", body, headers: more = {} }: Asked): RequestInit {
  const headers = new Headers({ ...more, accept: "application/json" });
  const key = savedKey();
  if (key !== "") headers.set("authorization", `Bearer ${key}`);
  const init: RequestInit = { method, headers, cache: "no-store", credentials: "omit" };
  if (body === undefined) return init;
  headers.set("content-type", "application/json");
  return { ...init, body: JSON.stringify(body) };
}

async function answerOf(response: Response): Promise<Json> {
  const answer = objectOf(await response.text());
  if (response.ok) return answer;
  const { detail, code, retryAfterMs } = answer;
  throw new ApiError(textOf(detail, `The service answers ${response.status}.`), {
    code: textOf(code, "unknown"),
    status: response.status,
    retryAfterMs: numberOf(retryAfterMs),
  });
}

/** A text, or `other` where it is none. */
export function textOf(value: unknown, other = ""): string {
  return typeof value === "string" ? value : other;
}

/** A number, or `other` where it is none. */
export function numberOf(value: unknown, other = 0): number {
  return typeof value === "number" ? value : other;
}

/** The objects of a list; none where it is no list. */
export function objectsOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** An object, empty where it is none. */
export function objectIn(value: unknown): Json {
  return isObject(value) ? value : {};
}

function objectOf(text: string): Json {
  try {
    return objectIn(JSON.parse(text || "{}"));
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
