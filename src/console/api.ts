/** Requests to the service that this page came from. */
import { savedKey } from "./session.ts";

/** What the service refused, or that it did not answer. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The problem's code; `unreachable` where no answer came. */
  readonly code: string;
  /** 0 where no answer came. */
  readonly status: number;

  constructor(message: string, { code, status }: { code: string; status: number }) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export type Json = Readonly<Record<string, unknown>>;

interface Asked {
  readonly method?: "DELETE" | "GET" | "POST" | "PUT";
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Asks for a path; the JSON object of a good answer, `{}` of an empty one. Throws ApiError. */
export async function ask(
  path: string,
  { method = "GET", body, signal }: Asked = {},
): Promise<Json> {
  const key = savedKey();
  const headers = new Headers({ accept: "application/json" });
  if (key !== "") headers.set("authorization", `Bearer ${key}`);
  if (body !== undefined) headers.set("content-type", "application/json");
  const init: RequestInit = { method, headers, cache: "no-store", credentials: "omit" };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (signal) init.signal = signal;
  const response = await fetch(path, init).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw new ApiError("The service does not answer.", { code: "unreachable", status: 0 });
  });
  const answer = objectOf(await response.text().catch(() => ""));
  if (response.ok) return answer;
  const { detail, code } = answer;
  throw new ApiError(textOf(detail, `The service answers ${response.status}.`), {
    code: textOf(code, "unknown"),
    status: response.status,
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
