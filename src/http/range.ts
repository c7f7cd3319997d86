import { Hono } from "hono";
import * as v from "valibot";
import { INSTANT_TAKES, parseInstant } from "../core/instant.ts";
import { rangeOf } from "../core/range.ts";
import { requires } from "./access.ts";
import type { NamespaceEnv } from "./app-env.ts";
import { withNamespace } from "./namespace.ts";
import { invalidParameters } from "./problem.ts";
import { parseQuery } from "./query.ts";

const takesInstant = `takes ${INSTANT_TAKES}`;
const instant = v.pipe(v.string(takesInstant), v.transform(parseInstant), v.number(takesInstant));
const RANGE_QUERY = { from: instant, until: instant };

/** `GET /v1/range/{namespace}`: the smallest and largest ID whose time is in [from, until). */
export const range = new Hono<NamespaceEnv>();

range.get("/:namespace", requires("read"), withNamespace, (c) => {
  const { layout } = c.get("namespace");
  const { values, errors } = parseQuery(c.req, RANGE_QUERY);
  const { from, until } = values;
  if (from === undefined || until === undefined) return invalidParameters(c, errors);
  if (from >= until) errors.push({ parameter: "from", detail: "takes an instant before until" });
  const found = rangeOf(layout, from, until);
  if (errors.length === 0 && !found) {
    const detail = `takes, with from, a stretch in which a tick of the layout begins: its ticks of ${layout.tickMs} ms begin at unix ms ${layout.epochMs}, and there are ${layout.tickCount}`;
    errors.push({ parameter: "until", detail });
  }
  if (errors.length > 0 || !found) return invalidParameters(c, errors);
  return c.json({ first: found.first.toString(), last: found.last.toString() });
});
