/** Requests to the service over HTTPS. */
import { jsonOf } from "../core/json.ts";
import { isWhole } from "../core/takes.ts";
import { EdgeflakeError, errorOf } from "./errors.ts";
import { TIMEOUT_MAX_MS } from "./limits.ts";

/** Sends one request to a path below /v1/; the JSON of a good answer, null for an empty one, else throws. */
export type Ask = (path: string, query: object, init: AskInit) => Promise<unknown>;

export interface AskInit extends RequestInit {
  readonly method: "DELETE" | "GET" | "POST" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export function httpAsk(url: string | URL, key: string | undefined): Ask {
  const base = `${url}`.replace(/\/*$/, "");
  const shared = { accept: "application/json", ...(key && { authorization: `Bearer ${key}` }) };
  return async (path, query, init) => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const address = `${base}/v1/${path}?${new URLSearchParams(given)}`;
    const headers = { ...shared, ...init.headers };
    // A redirect would make a GET of a POST. Workers know no redirect: "error".
    const response = await fetch(address, { ...init, headers, redirect: "manual" });
    // Read whole: an answer that breaks off is none.
    const text = await response.text();
    const body = jsonOf(text || "null");
    if (response.ok && body !== undefined) return body;
    if (response.ok) throw malformed(path);
    // Whole seconds; a date is read as none.
    const retryAfterMs = Number(response.headers.get("retry-after") ?? undefined) * 1000;
    throw errorOf(
      body,
      response.status,
      isWhole(retryAfterMs, 0, TIMEOUT_MAX_MS) ? retryAfterMs : undefined,
    );
  };
}

/** The answer of a route is not what the service answers there. */
export function malformed(route: string): EdgeflakeError {
  return new EdgeflakeError(`The answer is not one of /v1/${route}.`, { code: "malformed" });
}
