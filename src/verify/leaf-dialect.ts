import { fieldsOf, jsonOf } from "../core/json.ts";
import { readDecimal } from "./decimal.ts";
import type { Dialect } from "./dialect.ts";
import { textOf } from "./json.ts";
import { type Answer, failureOf, type Outcome, unreadable } from "./outcome.ts";

/** What Leaf says where it gives no ID: bare, or in the message of its error. */
const RESULT = /^(-[1-9]\d{0,8})$|\bResult\{id=(-?\d{1,9}), status=EXCEPTION\}/;
/** Not initialised, and no such key. −3 is used for all else, also for what failed inside. */
const DEFINITE_RESULTS: readonly string[] = ["-1", "-2"];

/**
 * Meituan Leaf's `GET /api/{kind}/get/{key}`: a bare decimal.
 * Source: Leaf's LeafController and SnowflakeIDGenImpl.
 */
export function leaf(kind: "snowflake" | "segment"): Dialect {
  return {
    kind: kind === "snowflake" ? "clock" : "none",
    placed: false,
    countMax: 1,
    request({ key, namespace }) {
      // Leaf knows no tokens; this service's routes of the same name do.
      const query = key === undefined ? "" : `?${new URLSearchParams({ token: key })}`;
      return { path: `/api/${kind}/get/${encodeURIComponent(namespace)}${query}`, headers: {} };
    },
    read,
  };
}

function read(answer: Answer): Outcome {
  const { status, text } = answer;
  const [, bare, inMessage] = RESULT.exec(text) ?? [];
  const result = bare ?? inMessage;
  if (result !== undefined) {
    const definite = DEFINITE_RESULTS.includes(result);
    return failureOf(status, { code: `leaf_${result}`, definite });
  }
  if (status !== 200) {
    const detail = textOf(fieldsOf(jsonOf(text)).message) ?? text;
    return failureOf(status, { detail });
  }
  // A Leaf whose mode is off answers that to everybody.
  if (text === "0") return failureOf(status, { code: "leaf_0", definite: true });
  // The beginning of a number is one too.
  const id = answer.delimited ? readDecimal(text) : undefined;
  return id === undefined ? unreadable(answer) : { kind: "acknowledged", ids: [id] };
}
