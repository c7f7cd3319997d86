import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./app-env.ts";
import { problem } from "./problem.ts";

/** Closed by default: only the exact word opens the service, whatever else ACCESS holds or lacks. */
export const access = createMiddleware<AppEnv>(async (c, next) => {
  if (c.env.ACCESS === "open") return await next();
  const detail =
    'This deployment is closed until it is configured: set the variable ACCESS to "open" for open access (npm run dev does; ACCESS=open npm run serve).';
  return problem(c, { code: "not_configured", detail });
});
