import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import { LEASE_TOKEN_HEADER } from "../../core/lease/worker-lease.ts";
import type { AppEnv } from "./app-env.ts";
import { isListed } from "./open-access.ts";

const allowOrigins = cors({
  origin: (origin, c) => {
    return isListed(c.env.CORS_ORIGINS, origin) ? origin : null;
  },
  allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  allowHeaders: ["authorization", "content-type", "idempotency-key", LEASE_TOKEN_HEADER],
  exposeHeaders: ["edgeflake-shard", "retry-after", "x-request-id"],
  maxAge: 86_400,
});

/** Allows cross-origin requests from the origins in CORS_ORIGINS (comma-separated). Off if that is empty. */
export const crossOrigin = createMiddleware<AppEnv>(async (c, next) => {
  return c.env.CORS_ORIGINS ? await allowOrigins(c, next) : await next();
});
