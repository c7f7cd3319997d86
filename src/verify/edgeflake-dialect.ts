import { fieldsOf, jsonOf } from "../core/json.ts";
import { readDecimals } from "./decimal.ts";
import type { Dialect } from "./dialect.ts";
import { textOf } from "./json.ts";
import { type Answer, failureOf, type Outcome, unreadable } from "./outcome.ts";

/** A worker ID: 22 bits at most. */
const SHARD = /^\d{1,7}$/;

/** `GET /v1/ids/{namespace}`. GET on purpose: a cache on the way that repeats an answer is to be found out. */
export const edgeflake: Dialect = {
  kind: "either",
  placed: true,
  countMax: undefined,
  request({ key, namespace, count, order, shard }, orderKey) {
    const query = new URLSearchParams();
    if (count > 1) query.set("count", `${count}`);
    if (orderKey !== undefined) query.set("key", orderKey);
    if (shard !== undefined) query.set("shard", `${shard}`);
    if (order === "strict") query.set("order", order);
    const suffix = query.size > 0 ? `?${query}` : "";
    return {
      path: `/v1/ids/${encodeURIComponent(namespace)}${suffix}`,
      headers: { accept: "application/json", ...(key && { authorization: `Bearer ${key}` }) },
    };
  },
  read(answer) {
    if (answer.status !== 200) return refusal(answer);
    const { ids } = fieldsOf(jsonOf(answer.text));
    const read = Array.isArray(ids) ? readDecimals(ids) : undefined;
    if (!read) return unreadable(answer);
    const shard = answer.shard !== undefined && SHARD.test(answer.shard);
    return { kind: "acknowledged", ids: read, shard: shard ? Number(answer.shard) : undefined };
  },
};

/** Problem details, where it has them. */
function refusal({ status, text }: Answer): Outcome {
  const { code, detail, definite } = fieldsOf(jsonOf(text));
  return failureOf(status, {
    code: textOf(code),
    detail: textOf(detail) ?? text,
    definite: typeof definite === "boolean" ? definite : undefined,
  });
}
