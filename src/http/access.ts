/** Who may do what: access mode, bearer keys, scopes, namespaces. Closed by default. */
import type { Context, MiddlewareHandler } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { createMiddleware } from "hono/factory";
import {
  ADMIN_KEY_TAKES,
  ANYBODY,
  type ApiKeyRecord,
  BEARER_TOKEN,
  hasScope,
  isAdminKey,
  mayUse,
  type Scope,
} from "../core/api-key.ts";
import { findKey, keyInMemory } from "../service/keys.ts";
import type { AppEnv } from "./app-env.ts";
import { openRefusal } from "./open-access.ts";
import { problem } from "./problem.ts";
import { chargeLookUp } from "./rate-limit.ts";
import { waitUntilOf } from "./wait-until.ts";

const BEARER = "Bearer ";

const READING_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS"];
/** Routes that issue, with whatever method. */
const ISSUING_PATHS = /^\/v1\/(?:ids|blocks)\//;

/** The ADMIN_KEY last found to be one: it is the same for each request. */
let knownAdminKey: string | undefined;

function isUsable(adminKey: string): boolean {
  if (adminKey === knownAdminKey) return true;
  const usable = isAdminKey(adminKey);
  if (usable) knownAdminKey = adminKey;
  return usable;
}

/** One text for every token that is not taken, so that it tells nothing about the token. */
const UNAUTHORIZED = { message: unauthorized };

/** The answer to a token that is not in force. */
export function unauthorized(c: Context): Response {
  const detail = "This route takes `Authorization: Bearer KEY` with a key that is in force.";
  return problem(c, { code: "unauthorized", detail });
}

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
    const { method, path } = c.req;
    const issues = !READING_METHODS.includes(method) || ISSUING_PATHS.test(path);
    const refusal = openRefusal(c.req.raw, c.env, issues);
    return refusal === undefined
      ? await next()
      : problem(c, { code: "forbidden", detail: refusal });
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
  return isUsable(ADMIN_KEY) ? undefined : `This deployment is closed: ${ADMIN_KEY_TAKES}`;
}

export type TokenCaller =
  | { readonly kind: "caller"; readonly caller: ApiKeyRecord }
  | { readonly kind: "nobody" }
  | { readonly kind: "not_configured" | "forbidden"; readonly detail: string };

/** Whose token it is, for routes that take it elsewhere than in a header. Throws as findKey does. */
export async function callerOfToken(
  c: Context<AppEnv>,
  token: string | undefined,
): Promise<TokenCaller> {
  if (c.env.ACCESS === "open") {
    const refusal = openRefusal(c.req.raw, c.env, true);
    if (refusal !== undefined) return { kind: "forbidden", detail: refusal };
    return { kind: "caller", caller: ANYBODY };
  }
  const detail = notConfigured(c.env);
  if (detail !== undefined) return { kind: "not_configured", detail };
  const caller = token ? await callerOf(c, token) : undefined;
  return caller ? { kind: "caller", caller } : { kind: "nobody" };
}

/** Each failed token is charged to its sender, whether or not the registry had to be asked. */
async function callerOf(c: Context<AppEnv>, token: string): Promise<ApiKeyRecord | undefined> {
  const { REGISTRY, ADMIN_KEY } = c.env;
  let isCharged = false;
  const charge = async (): Promise<void> => {
    if (!isCharged) await chargeLookUp(c);
    isCharged = true;
  };
  const hooks = { waitUntil: waitUntilOf(c), beforeAsking: charge };
  const caller = BEARER_TOKEN.test(token)
    ? await findKey(REGISTRY, ADMIN_KEY, token, hooks)
    : undefined;
  if (!caller) await charge();
  return caller;
}

/** The caller, where this isolate knows without asking; undefined where it does not, or the caller is nobody. */
export function callerInMemory(env: Env, request: Request): ApiKeyRecord | undefined {
  const { ACCESS, ADMIN_KEY } = env;
  if (ACCESS === "open") return openRefusal(request, env, true) === undefined ? ANYBODY : undefined;
  const header = request.headers.get("authorization");
  if (!header?.startsWith(BEARER) || !ADMIN_KEY || !isUsable(ADMIN_KEY)) return undefined;
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
