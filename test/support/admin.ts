import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { ADMIN } from "../../src/core/api-key.ts";
import { app } from "../../src/http/app.ts";
import { checkAnswer } from "./contract.ts";

export const ADMIN_KEY = "an-admin-key-for-all-the-tests";

const UNLIMITED = { limit: async () => ({ success: true }) };

/** The bindings of a deployment that requires keys. */
export const CLOSED: Env = {
  ...env,
  ACCESS: "keys",
  ADMIN_KEY,
  // The platform's count by the minute, for all test files together, and take as long as all the rest of a request.
  LIMITER: UNLIMITED,
  REQUEST_LIMITER: UNLIMITED,
  LOOKUP_LIMITER: UNLIMITED,
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

interface Asked {
  readonly method?: string;
  /** The bearer token: by default the admin key; null: no token. */
  readonly key?: string | null;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
  readonly rawBody?: BodyInit;
  readonly cf?: Record<string, unknown>;
  readonly bindings?: Env;
}

/** Sends a request to the app of a deployment that requires keys, by default as the admin. */
export async function ask(path: string, asked: Asked = {}): Promise<Answer> {
  const { method = "GET", key = ADMIN_KEY, json, headers = {}, rawBody, cf, bindings } = asked;
  const body = json === undefined ? rawBody : JSON.stringify(json);
  const init: RequestInit = {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(json !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  };
  const request = new Request(`https://edgeflake.test${path}`, init);
  if (cf) Object.defineProperty(request, "cf", { value: cf });
  const context = createExecutionContext();
  const response = await app.fetch(request, bindings ?? CLOSED, context);
  await checkAnswer(method, path, response);
  const text = await response.text();
  await waitOnExecutionContext(context);
  const isJson = response.headers.get("content-type")?.includes("json");
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== "" ? JSON.parse(text) : {},
  };
}

/** Creates a namespace, with a plain body unless given. */
export function put(name: string, body: unknown = { kind: "snowflake" }): Promise<Answer> {
  return ask(`/v1/namespaces/${name}`, { method: "PUT", json: body });
}

/** Changes the fields of a namespace that the body names. */
export function patch(name: string, json: unknown, asked: Asked = {}): Promise<Answer> {
  return ask(`/v1/namespaces/${name}`, { method: "PATCH", json, ...asked });
}

/** Revokes a key in another isolate, so that this one still has it cached. */
export async function revokedElsewhere(id: string): Promise<void> {
  await env.REGISTRY.getByName("registry").deleteKey(id, ADMIN.id);
}

/** Creates a key and returns its text and id. */
export async function keyFor(input: Record<string, unknown>): Promise<{ key: string; id: string }> {
  const { status, body, text } = await ask("/v1/keys", { method: "POST", json: input });
  if (status !== 201) throw new Error(`no key was made: ${status} ${text}`);
  return { key: String(body.key), id: String(body.id) };
}
