import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { BUILT_IN_NAMES, findNamespace } from "../service/namespaces.ts";
import type { NamespaceEnv } from "./app-env.ts";
import { problem } from "./problem.ts";

/** Looks up the `:namespace` of the path for the handlers behind it. */
export const withNamespace = createMiddleware<NamespaceEnv, "/:namespace">(async (c, next) => {
  const namespace = findNamespace(c.req.param("namespace"));
  if (!namespace) return unknownNamespace(c);
  c.set("namespace", namespace);
  return await next();
});

function unknownNamespace(c: Context): Response {
  const detail = `The namespaces here are ${BUILT_IN_NAMES.join(", ")}.`;
  return problem(c, { code: "unknown_namespace", detail });
}
