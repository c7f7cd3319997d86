/** What all issuing routes share: only GET and POST, which are alike, and no body. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { IssueSource } from "../service/issue-ids.ts";
import type { Placement } from "../service/pick-shard.ts";
import type { NamespaceEnv } from "./app-env.ts";
import { BODY_WAIT_MS } from "./limits.ts";
import { ISSUING_METHODS } from "./methods.ts";
import { namespaceRetired } from "./namespace.ts";
import { problem } from "./problem.ts";
import { waitUntilOf } from "./wait-until.ts";

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

/** Where a request's IDs are asked for. */
export function sourceOf(c: Context<NamespaceEnv>, placement: Placement): IssueSource {
  const { SHARD: shards, SEGMENTS: segments } = c.env;
  return { shards, segments, namespace: c.get("namespace"), placement, waitUntil: waitUntilOf(c) };
}

/** Reads no further than the first byte, and waits no longer than BODY_WAIT_MS for it. */
async function hasBody(c: Context): Promise<boolean> {
  const { body } = c.req.raw;
  if (!body) return false;
  const length = c.req.header("content-length");
  if (length !== undefined) return length !== "0";
  const reader = body.getReader();
  const late = scheduler.wait(BODY_WAIT_MS).then(() => ({ done: false, value: undefined }));
  try {
    const { done, value } = await Promise.race([reader.read(), late]);
    return !done && value?.length !== 0;
  } catch {
    // A body that breaks off is one.
    return true;
  }
}
