import { Hono } from "hono";
import * as v from "valibot";
import { INSTANT_FORMS, parseInstant } from "../../core/instant.ts";
import { type Layout, tickStartMs } from "../../core/layout/layout.ts";
import { rangeOf } from "../../core/layout/range.ts";
import { parseQuery } from "../../service/params.ts";
import type { NamespaceEnv } from "../middleware/app-env.ts";
import { withNamespace } from "../middleware/namespace.ts";
import { invalidParameters, wrongKind } from "../reply/problem.ts";

const instantRule = `must be ${INSTANT_FORMS}`;
const instant = v.pipe(v.string(instantRule), v.transform(parseInstant), v.number(instantRule));
export const RANGE_QUERY = { from: instant, until: instant };

function untilRule(layout: Layout): string {
  const { epochMs, tickMs, tickCount } = layout;
  const lastMs = tickStartMs(layout, tickCount - 1);
  return `must leave at least one ID time in [from, until): ID times run from unix ms ${epochMs} to ${lastMs}, in steps of ${tickMs} ms`;
}

/** `GET /v1/range/{namespace}`: returns the smallest and largest ID whose time is in [from, until). */
export const range = new Hono<NamespaceEnv>();

range.get("/:namespace", withNamespace("read"), (c) => {
  const namespace = c.get("namespace");
  if (namespace.kind === "segment")
    return wrongKind(c, "IDs of a segment namespace have no time; use a snowflake namespace.");
  const { layout } = namespace;
  const { values, errors } = parseQuery(c.req, RANGE_QUERY);
  const { from, until } = values;
  if (from === undefined || until === undefined) return invalidParameters(c, errors);
  const found = rangeOf(layout, from, until);
  if (from >= until) errors.push({ parameter: "from", detail: "must be before until" });
  else if (!found) errors.push({ parameter: "until", detail: untilRule(layout) });
  if (errors.length > 0 || !found) return invalidParameters(c, errors);
  return c.json({ first: found.first.toString(), last: found.last.toString() });
});
