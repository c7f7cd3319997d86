import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { checkAnswer } from "./contract.ts";

/** Whatever answers requests: the whole Worker, or its router alone. */
export interface Handler {
  fetch(request: Request, env: Env, context: ExecutionContext): Response | Promise<Response>;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly bindings?: Env;
}

export interface SentAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** How many works were left to waitUntil; they have ended. */
  readonly behind: number;
}

/** Sends a request to a handler as the platform does, and waits for what it leaves behind. */
export async function send(to: Handler, path: string, sent: Sent = {}): Promise<SentAnswer> {
  const { method = "GET", headers = {}, body, bindings = env } = sent;
  const context = createExecutionContext();
  const waitUntil = vi.spyOn(context, "waitUntil");
  const response = await to.fetch(requestOf(path, method, headers, body), bindings, context);
  await checkAnswer(method, path, response);
  const text = await response.text();
  await waitOnExecutionContext(context);
  const { status } = response;
  return { status, headers: response.headers, text, behind: waitUntil.mock.calls.length };
}

function requestOf(
  path: string,
  method: string,
  headers: Record<string, string>,
  body?: string,
): Request {
  const url = `https://edgeflake.test${path}`;
  if (body === undefined) return new Request(url, { method, headers });
  if (method !== "GET") return new Request(url, { method, headers, body });
  // Clients may send a body with GET, but none can be made here.
  const request = new Request(url, { method: "POST", headers, body });
  Object.defineProperty(request, "method", { value: method });
  return request;
}

/** Without a limiter, as in plain workerd: an answer from memory waits for nothing then. */
export function unlimited(bindings: Env): Env {
  return Object.assign({ ...bindings }, NO_LIMITERS);
}

export const NO_LIMITERS = { LIMITER: undefined, REQUEST_LIMITER: undefined };
