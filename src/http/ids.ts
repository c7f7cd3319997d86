import { Hono } from "hono";
import { blocksOf, type Grant } from "../core/block.ts";
import { encode } from "../core/codec.ts";
import type { Refusal } from "../core/errors.ts";
import type { Layout } from "../core/layout.ts";
import { callCountMax, issue, issueInCalls } from "../service/issue.ts";
import { isPinned } from "../service/pick-shard.ts";
import { requires } from "./access.ts";
import { recordIssuing } from "./analytics.ts";
import type { NamespaceEnv } from "./app-env.ts";
import { type IdEncoding, parseIdsQuery } from "./issue-query.ts";
import { ISSUING_METHODS, issuing } from "./issuing.ts";
import { logCutStream } from "./log.ts";
import { withNamespace } from "./namespace.ts";
import { refused } from "./problem.ts";
import { chargeIds } from "./rate-limit.ts";
import { textStream } from "./text-stream.ts";

/** `GET/POST /v1/ids/{namespace}`: IDs as JSON, or one a line as text. */
export const ids = new Hono<NamespaceEnv>();

ids.on(ISSUING_METHODS, "/:namespace", requires("issue"), withNamespace, issuing, async (c) => {
  const namespace = c.get("namespace");
  const query = parseIdsQuery(c, namespace);
  if (!query.ok) return query.response;
  const { count, encoding, format, placement } = query.value;
  const { layout } = namespace;
  const limited = await chargeIds(c, count);
  if (limited) return limited;
  const write = (shard: number, grants: readonly Grant[]) =>
    idTexts(layout, shard, grants, encoding);

  if (format === "text") {
    const calls = issueInCalls(c.env.SHARD, namespace, placement, count);
    const first = await calls.next();
    if (first.done) throw new Error("a request for at least one ID was answered by no call");
    if (!first.value.ok) {
      recordIssuing(c, "ids", { outcome: first.value.refusal.code, count });
      return refused(c, first.value.refusal, first.value.definite);
    }
    recordIssuing(c, "ids", { outcome: "begun", count });
    c.header("content-type", "text/plain; charset=utf-8");
    const oneShard = isPinned(placement) || count <= callCountMax(namespace, placement);
    if (oneShard) c.header("edgeflake-shard", `${first.value.shard}`);
    const onCut = ({ code }: Refusal): void => {
      recordIssuing(c, "ids", { outcome: code, count });
      logCutStream(c, code);
    };
    return c.body(textStream(first.value, calls, write, onCut));
  }

  const issued = await issue(c.env.SHARD, namespace, placement, count);
  if (!issued.ok) {
    recordIssuing(c, "ids", { outcome: issued.refusal.code, count });
    return refused(c, issued.refusal, issued.definite);
  }
  recordIssuing(c, "ids", { outcome: "issued", count, shard: issued.shard });
  const texts = write(issued.shard, issued.grants);
  c.header("edgeflake-shard", `${issued.shard}`);
  return c.json({ ids: encoding === "number" ? texts.map(Number) : texts });
});

/** Every ID of the grants as text, in the order granted. */
function idTexts(
  layout: Layout,
  shard: number,
  grants: readonly Grant[],
  encoding: IdEncoding,
): string[] {
  const texts: string[] = [];
  for (const grant of grants) {
    for (const { first, count } of blocksOf(layout, shard, grant)) {
      const end = first + BigInt(count);
      for (let id = first; id < end; id += 1n) {
        texts.push(encode(id, encoding === "number" ? "decimal" : encoding));
      }
    }
  }
  return texts;
}
