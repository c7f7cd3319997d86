import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { Scope } from "../../core/api-key.ts";
import { authorise } from "../../service/registry/authorise.ts";
import { problem } from "../reply/problem.ts";
import type { NamespaceEnv } from "./app-env.ts";
import { surroundingsOf } from "./surroundings.ts";

/** Sets the `:namespace` of the path for later handlers. Rejects callers that may not use it with the scope. */
export function withNamespace(scope: Scope): MiddlewareHandler<NamespaceEnv, "/:namespace"> {
  return createMiddleware<NamespaceEnv, "/:namespace">(async (c, next) => {
    const name = c.req.param("namespace");
    const found = await authorise(surroundingsOf(c), c.get("caller"), scope, name);
    if (!found.ok) return problem(c, found.problem);
    c.set("namespace", found.value);
    return await next();
  });
}
