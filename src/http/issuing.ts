/** What all issuing routes share: only GET and POST, which are alike, and no body. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { NamespaceEnv } from "./app-env.ts";
import { namespaceRetired } from "./namespace.ts";
import { problem } from "./problem.ts";

export const ISSUING_METHODS = ["GET", "POST"];

/** HEAD would issue IDs that nobody sees, and a body has no meaning. */
export const issuing = createMiddleware<NamespaceEnv>(async (c, next) => {
  if (c.req.method === "HEAD") {
    const detail = "HEAD would issue IDs that nobody sees; use GET or POST.";
    return problem(c, { code: "method_not_allowed", detail, allow: ISSUING_METHODS });
  }
  if (c.get("namespace").retired) return namespaceRetired(c);
  if (await hasBody(c)) {
    const detail = "This route takes no body; send all parameters in the query.";
    return problem(c, { code: "invalid_body", detail });
  }
  return await next();
});

/** Reads no further than the first byte. */
async function hasBody(c: Context): Promise<boolean> {
  const reader = c.req.raw.body?.getReader();
  if (!reader) return false;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return false;
    if (value.length > 0) {
      await reader.cancel();
      return true;
    }
  }
}
