import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { BUILT_IN_NAMESPACES, findNamespace } from "../service/namespaces.ts";
import { refuseNamespace } from "./access.ts";
import type { NamespaceEnv } from "./app-env.ts";
import { problem } from "./problem.ts";
import { waitUntilOf } from "./wait-until.ts";

/** Looks up the `:namespace` of the path for the handlers behind it, where the caller may use it. */
export const withNamespace = createMiddleware<NamespaceEnv, "/:namespace">(async (c, next) => {
  const name = c.req.param("namespace");
  const refused = refuseNamespace(c, c.get("caller"), name);
  if (refused) return refused;
  const namespace = await findNamespace(c.env.REGISTRY, name, waitUntilOf(c));
  if (!namespace) return unknownNamespace(c);
  c.set("namespace", namespace);
  return await next();
});

export function unknownNamespace(c: Context): Response {
  const names = BUILT_IN_NAMESPACES.map(({ name }) => name).join(", ");
  const detail = `There is no namespace of that name. Built in are ${names}; PUT /v1/namespaces/{namespace} makes others.`;
  return problem(c, { code: "unknown_namespace", detail });
}

/** The answer where a retired name is to be used again. */
export function namespaceRetired(c: Context): Response {
  const detail = "This namespace is retired, and its name is never used again.";
  return problem(c, { code: "namespace_retired", detail });
}
