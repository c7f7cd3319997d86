import { Hono } from "hono";
import type { BlocksAnswer } from "../core/blocks-answer.ts";
import { SEGMENT_FRESH_FOR_MS } from "../core/limits.ts";
import { issueBlocks } from "../service/issue-ids.ts";
import type { Issued } from "../service/issued.ts";
import type { Namespace } from "../service/namespaces.ts";
import { requires } from "./access.ts";
import { recordIssuing } from "./analytics.ts";
import type { NamespaceEnv } from "./app-env.ts";
import { parseBlocksQuery } from "./issue-query.ts";
import { issuing, sourceOf } from "./issuing.ts";
import { ISSUING_METHODS } from "./methods.ts";
import { withNamespace } from "./namespace.ts";
import { refused } from "./problem.ts";
import { chargeIds } from "./rate-limit.ts";

/** `GET/POST /v1/blocks/{namespace}`: runs of consecutive IDs, for callers that count themselves. */
export const blocks = new Hono<NamespaceEnv>();

export function blocksAnswer(
  { blocks, shard }: Extract<Issued, { ok: true }>,
  namespace: Namespace,
): BlocksAnswer {
  if (namespace.kind === "segment") {
    const numbers = blocks.map(({ first, count, step = 1 }) => ({
      first: `${first}`,
      count,
      step,
    }));
    return { blocks: numbers, shard, freshForMs: SEGMENT_FRESH_FOR_MS };
  }
  return {
    blocks: blocks.map(({ first, count }) => ({ first: first.toString(), count })),
    shard,
    freshForMs: namespace.policy.freshForMs,
  };
}

blocks.on(ISSUING_METHODS, "/:namespace", requires("issue"), withNamespace, issuing, async (c) => {
  const namespace = c.get("namespace");
  const query = parseBlocksQuery(c, namespace);
  if (!query.ok) return query.response;
  const { count, placement } = query.value;
  const limited = await chargeIds(c, count);
  if (limited) return limited;
  const callerId = c.get("caller").id;
  const facts = { route: "blocks", namespace: namespace.name, callerId, count } as const;
  const issued = await issueBlocks(sourceOf(c, placement), count);
  if (!issued.ok) {
    recordIssuing(c.env, { ...facts, outcome: issued.refusal.code });
    return refused(c, issued.refusal, issued.definite);
  }
  const { shard } = issued;
  recordIssuing(c.env, { ...facts, outcome: "issued", shard });
  c.header("edgeflake-shard", `${shard}`);
  return c.json(blocksAnswer(issued, namespace));
});
