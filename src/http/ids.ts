import { Hono } from "hono";
import type { Refusal } from "../core/errors.ts";
import { issueIds, issueStream } from "../service/issue-ids.ts";
import { requires } from "./access.ts";
import { recordIssuing } from "./analytics.ts";
import type { NamespaceEnv } from "./app-env.ts";
import { idLines, idsJson } from "./id-texts.ts";
import { parseIdsQuery } from "./issue-query.ts";
import { issuing, sourceOf } from "./issuing.ts";
import { logCutStream } from "./log.ts";
import { ISSUING_METHODS } from "./methods.ts";
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
  // The short cut has charged for an issuing that it began.
  const begun = c.env.BEGUN;
  const limited = begun ? undefined : await chargeIds(c, count);
  if (limited) return limited;

  const callerId = c.get("caller").id;
  const facts = { route: "ids", namespace: namespace.name, callerId, count } as const;
  const source = sourceOf(c, placement);
  if (format === "text") {
    const { calls, oneShard } = issueStream(source, count);
    const first = await calls.next();
    if (first.done) throw new Error("a request for at least one ID was answered by no call");
    if (!first.value.ok) {
      recordIssuing(c.env, { ...facts, outcome: first.value.refusal.code });
      return refused(c, first.value.refusal, first.value.definite);
    }
    recordIssuing(c.env, { ...facts, outcome: "begun" });
    c.header("content-type", "text/plain; charset=utf-8");
    if (oneShard) c.header("edgeflake-shard", `${first.value.shard}`);
    const onCut = ({ code }: Refusal): void => {
      recordIssuing(c.env, { ...facts, outcome: code });
      logCutStream(c, code);
    };
    return c.body(textStream(first.value, calls, (blocks) => idLines(blocks, encoding), onCut));
  }

  const issued = await (begun ?? issueIds(source, count));
  if (!issued.ok) {
    recordIssuing(c.env, { ...facts, outcome: issued.refusal.code });
    return refused(c, issued.refusal, issued.definite);
  }
  recordIssuing(c.env, { ...facts, outcome: "issued", shard: issued.shard });
  c.header("edgeflake-shard", `${issued.shard}`);
  return c.body(idsJson(issued.blocks, encoding), 200, { "content-type": "application/json" });
});
