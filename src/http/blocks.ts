import { Hono } from "hono";
import { type Issued, issue } from "../service/issue.ts";
import type { Namespace } from "../service/namespaces.ts";
import { requires } from "./access.ts";
import { recordIssuing } from "./analytics.ts";
import type { NamespaceEnv } from "./app-env.ts";
import { parseBlocksQuery } from "./issue-query.ts";
import { ISSUING_METHODS, issuing } from "./issuing.ts";
import { withNamespace } from "./namespace.ts";
import { refused } from "./problem.ts";
import { chargeIds } from "./rate-limit.ts";

/** `GET/POST /v1/blocks/{namespace}`: runs of consecutive IDs, for callers that count themselves. */
export const blocks = new Hono<NamespaceEnv>();

/** What is answered for blocks. */
export interface BlocksAnswer {
  readonly blocks: readonly { readonly first: string; readonly count: number }[];
  readonly shard: number;
  /** How long they may be used, in ms since they were asked for. */
  readonly freshForMs: number;
}

export function blocksAnswer(
  { blocks, shard }: Extract<Issued, { ok: true }>,
  { policy }: Namespace,
): BlocksAnswer {
  return {
    blocks: blocks.map(({ first, count }) => ({ first: first.toString(), count })),
    shard,
    freshForMs: policy.freshForMs,
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
  const issued = await issue(c.env.SHARD, namespace, placement, count);
  if (!issued.ok) {
    recordIssuing(c.env, { ...facts, outcome: issued.refusal.code });
    return refused(c, issued.refusal, issued.definite);
  }
  const { shard } = issued;
  recordIssuing(c.env, { ...facts, outcome: "issued", shard });
  c.header("edgeflake-shard", `${shard}`);
  return c.json(blocksAnswer(issued, namespace));
});
