/** Requests to the service over HTTPS. */

import { isWhole } from "../core/allowed.ts";
import { jsonOf } from "../core/json.ts";
import { EdgeflakeError, errorOf } from "./errors.ts";
import { TIMEOUT_MAX_MS } from "./limits.ts";

/** Sends one request to a path below /v1/. Resolves to the JSON of a 2xx response, null if it is empty; else rejects. */
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
    // A redirect would turn a POST into a GET. Workers don't support redirect: "error".
    const response = await fetch(address, { ...init, headers, redirect: "manual" });
    // Read to the end: a response that breaks off is a failure.
    const text = await response.text();
    const body = jsonOf(text || "null");
    if (response.ok && body !== undefined) return body;
    if (response.ok) throw malformed(path);
    // Whole seconds; a date is ignored.
    const retryAfterMs = Number(response.headers.get("retry-after") ?? undefined) * 1000;
    throw errorOf(
      body,
      response.status,
      isWhole(retryAfterMs, 0, TIMEOUT_MAX_MS) ? retryAfterMs : undefined,
    );
  };
}

/** The error of a response that is not what the service returns there. */
export function malformed(route: string): EdgeflakeError {
  return new EdgeflakeError(`Unexpected response from /v1/${route}.`, { code: "malformed" });
}
