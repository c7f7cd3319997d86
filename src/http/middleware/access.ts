/** Access control: access mode and bearer keys. Closed by default. */
import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import {
  ADMIN_KEY_RULE,
  ANYBODY,
  type ApiKeyRecord,
  BEARER_TOKEN,
  isAdminKey,
  type Scope,
} from "../../core/api-key.ts";
import { failed, type Outcome } from "../../core/problem.ts";
import { UNAUTHORIZED } from "../../service/issue/problem-of-error.ts";
import { chargeLookUp } from "../../service/issue/rate-limit.ts";
import { refuseScope, type Surroundings } from "../../service/registry/authorise.ts";
import { findKey, keyInMemory } from "../../service/registry/keys.ts";
import { problem } from "../reply/problem.ts";
import type { AppEnv } from "./app-env.ts";
import { openRefusal } from "./open-access.ts";
import { surroundingsOf } from "./surroundings.ts";

/** A bearer token in the Authorization header (RFC 6750); the scheme is case-insensitive (RFC 9110, 11.1). */
const BEARER = /^Bearer +([^ ]+)$/i;

const READING_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS"];

/** A cache of the last valid ADMIN_KEY, which is the same for each request. */
let knownAdminKey: string | undefined;

function isUsable(adminKey: string): boolean {
  if (adminKey === knownAdminKey) return true;
  const usable = isAdminKey(adminKey);
  if (usable) knownAdminKey = adminKey;
  return usable;
}

/** The Authorization header's bearer token; undefined without one. */
function bearerTokenOf(headers: Headers): string | undefined {
  const header = headers.get("authorization");
  return header === null ? undefined : BEARER.exec(header)?.[1];
}

/**
 * The caller, by the bearer token or `queryToken`. Synchronous if this isolate has it cached. `issues`: the request
 * issues or changes something. Only the exact word `open` opens the service. Throws RegistryUnavailableError and
 * KeysLimitedError.
 */
export function callerOf(
  request: Pick<Request, "headers" | "url">,
  surroundings: Surroundings,
  issues: boolean,
  queryToken?: string,
): Outcome<ApiKeyRecord> | Promise<Outcome<ApiKeyRecord>> {
  const { env } = surroundings;
  if (env.ACCESS === "open") {
    const detail = openRefusal(request, env, issues);
    return detail === undefined
      ? { ok: true, value: ANYBODY }
      : failed({ code: "forbidden", detail });
  }
  const detail = notConfigured(env);
  if (detail !== undefined) return failed({ code: "not_configured", detail });
  const token = queryToken || bearerTokenOf(request.headers);
  if (!token) return failed(UNAUTHORIZED);
  const known = keyInMemory(env.ADMIN_KEY, token);
  return known ? { ok: true, value: known } : lookUp(request.headers, surroundings, token);
}

/** The reason why no key can be valid; undefined if keys work. */
function notConfigured({ ADMIN_KEY }: Env): string | undefined {
  if (!ADMIN_KEY) {
    return 'ADMIN_KEY is not set: run `npx wrangler secret put ADMIN_KEY`, or set ADMIN_KEY in the environment of `npm run serve`. To serve requests without keys, set the variable ACCESS to "open".';
  }
  return isUsable(ADMIN_KEY) ? undefined : ADMIN_KEY_RULE;
}

/** Looks up a token. Each invalid token is charged to its sender, even if the registry was not called. */
async function lookUp(
  headers: Headers,
  { env, waitUntil }: Surroundings,
  token: string,
): Promise<Outcome<ApiKeyRecord>> {
  let isCharged = false;
  const charge = async (): Promise<void> => {
    if (!isCharged) await chargeLookUp(env, headers);
    isCharged = true;
  };
  const hooks = { waitUntil, beforeAsking: charge };
  const caller = BEARER_TOKEN.test(token)
    ? await findKey(env.REGISTRY, env.ADMIN_KEY, token, hooks)
    : undefined;
  if (caller) return { ok: true, value: caller };
  await charge();
  return failed(UNAUTHORIZED);
}

/** Rejects callers without access, by ACCESS and the keys. */
export const access = createMiddleware<AppEnv>(async (c, next) => {
  c.header("cache-control", "no-store");
  const request = c.req.raw;
  const issues = !READING_METHODS.includes(request.method);
  const caller = await callerOf(request, surroundingsOf(c), issues);
  if (!caller.ok) return problem(c, caller.problem);
  c.set("caller", caller.value);
  return await next();
});

/** Rejects callers whose key lacks the scope. */
export function requires(scope: Scope): MiddlewareHandler<AppEnv> {
  return createMiddleware<AppEnv>(async (c, next) => {
    const refused = refuseScope(c.get("caller"), scope);
    return refused ? problem(c, refused) : await next();
  });
}
