/** Who may do what: access mode, bearer keys, scopes, namespaces. Closed by default. */
import type { Context, MiddlewareHandler } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { createMiddleware } from "hono/factory";
import { type ApiKeyRecord, hasScope, mayUse, type Scope } from "../core/api-key.ts";
import { findKey, keyInMemory } from "../service/keys.ts";
import type { AppEnv } from "./app-env.ts";
import { problem } from "./problem.ts";
import { chargeLookUp } from "./rate-limit.ts";
import { waitUntilOf } from "./wait-until.ts";

/** The caller where access is open: everybody may do all. */
const ANYBODY: ApiKeyRecord = { id: "open", scopes: ["admin"], createdMs: 0 };

/** What can be sent as a bearer token (RFC 6750). */
const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

const BEARER = "Bearer ";

/** The ADMIN_KEY last found to be one: it is the same for each request. */
let sendableKey: string | undefined;

function isSendable(adminKey: string): boolean {
  if (adminKey === sendableKey) return true;
  const sendable = BEARER_TOKEN.test(adminKey);
  if (sendable) sendableKey = adminKey;
  return sendable;
}

/** One text for every token that is not taken, so that it tells nothing about the token. */
const UNAUTHORIZED = {
  message: (c: Context) => {
    const detail = "This route takes `Authorization: Bearer KEY` with a key that is in force.";
    return problem(c, { code: "unauthorized", detail });
  },
};

const withKey = bearerAuth({
  verifyToken: async (token, c: Context<AppEnv>) => {
    const caller = await callerOf(c, token);
    if (caller) c.set("caller", caller);
    return caller !== undefined;
  },
  noAuthenticationHeader: UNAUTHORIZED,
  invalidAuthenticationHeader: UNAUTHORIZED,
  invalidToken: UNAUTHORIZED,
});

/** Lets in whom ACCESS and the keys let in. Only the exact word `open` opens the service. */
export const access = createMiddleware<AppEnv>(async (c, next) => {
  c.header("cache-control", "no-store");
  if (c.env.ACCESS === "open") {
    c.set("caller", ANYBODY);
    return await next();
  }
  const detail = notConfigured(c.env);
  if (detail === undefined) return await withKey(c, next);
  return problem(c, { code: "not_configured", detail });
});

/** Why nobody can be let in by key; undefined where keys work. */
function notConfigured({ ADMIN_KEY }: Env): string | undefined {
  if (!ADMIN_KEY) {
    return 'This deployment is closed until it is configured: run `npx wrangler secret put ADMIN_KEY`, or set ADMIN_KEY in the environment of `npm run serve`; or set the variable ACCESS to "open" to serve everybody.';
  }
  if (isSendable(ADMIN_KEY)) return undefined;
  return "ADMIN_KEY cannot be sent as a bearer token: it takes letters, digits and . _ ~ + / -, as from: openssl rand -base64 32";
}

export type TokenCaller =
  | { readonly kind: "caller"; readonly caller: ApiKeyRecord }
  | { readonly kind: "nobody" }
  | { readonly kind: "not_configured"; readonly detail: string };

/** Whose token it is, for routes that take it elsewhere than in a header. Throws as findKey does. */
export async function callerOfToken(
  c: Context<AppEnv>,
  token: string | undefined,
): Promise<TokenCaller> {
  if (c.env.ACCESS === "open") return { kind: "caller", caller: ANYBODY };
  const detail = notConfigured(c.env);
  if (detail !== undefined) return { kind: "not_configured", detail };
  const caller =
    token !== undefined && BEARER_TOKEN.test(token) ? await callerOf(c, token) : undefined;
  return caller ? { kind: "caller", caller } : { kind: "nobody" };
}

function callerOf(c: Context<AppEnv>, token: string): Promise<ApiKeyRecord | undefined> {
  const { REGISTRY, ADMIN_KEY } = c.env;
  return findKey(REGISTRY, ADMIN_KEY, token, {
    waitUntil: waitUntilOf(c),
    beforeAsking: () => chargeLookUp(c),
  });
}

/** The caller, where this isolate knows without asking; undefined where it does not, or the caller is nobody. */
export function callerInMemory(
  { ACCESS, ADMIN_KEY }: Env,
  headers: Headers,
): ApiKeyRecord | undefined {
  if (ACCESS === "open") return ANYBODY;
  const header = headers.get("authorization");
  if (!header?.startsWith(BEARER) || !ADMIN_KEY || !isSendable(ADMIN_KEY)) return undefined;
  return keyInMemory(ADMIN_KEY, header.slice(BEARER.length));
}

/** Lets on callers with that scope. */
export function requires(scope: Scope): MiddlewareHandler<AppEnv> {
  return createMiddleware<AppEnv>(async (c, next) => {
    if (hasScope(c.get("caller"), scope)) return await next();
    const detail = `This route takes a key with the scope ${scope}.`;
    return problem(c, { code: "forbidden", detail });
  });
}

/** The answer for a caller whose key is restricted to other namespaces; undefined where it may go on. */
export function refuseNamespace(
  c: Context,
  caller: ApiKeyRecord,
  name: string,
): Response | undefined {
  if (mayUse(caller, name)) return undefined;
  const detail = "This key is restricted to other namespaces.";
  return problem(c, { code: "forbidden", detail });
}
