/**
 * Didi TinyID's `GET /tinyid/id/nextId` and `nextIdSimple`: always status 200, the outcome in the body.
 * Source: TinyID's IdContronller, ErrorCode and Response.
 */

import { fieldsOf, jsonOf } from "../core/json.ts";
import { readDecimals } from "./decimal.ts";
import type { Asking, Dialect, HttpRequest } from "./dialect.ts";
import { textOf } from "./json.ts";
import { type Answer, failureOf, type Outcome, unreadable } from "./outcome.ts";

const SUCCESS = 200;
const TOKEN_ERROR = 5;

/** The numbers as they are written: JSON.parse would round those beyond 2^53. */
const DATA = /"data"\s*:\s*\[([\d\s,]*)\]/;

const SHARED = { kind: "none", placed: false, countMax: undefined } as const;

export const tinyId: Dialect = {
  ...SHARED,
  request: (asking) => requestOf("nextId", asking),
  read(answer) {
    if (answer.status !== 200) return failureOf(answer.status, { detail: answer.text });
    const { code, data, message } = fieldsOf(jsonOf(answer.text));
    if (typeof code !== "number") return unreadable(answer);
    if (code !== SUCCESS) {
      const definite = code === TOKEN_ERROR;
      const said = { code: `tinyid_${code}`, detail: textOf(message), definite };
      return failureOf(answer.status, said);
    }
    if (!Array.isArray(data) || data.length === 0) return empty(answer);
    const list = DATA.exec(answer.text)?.[1];
    const texts = list?.split(",").map((text) => text.trim());
    return texts ? numbers(texts, answer) : unreadable(answer);
  },
};

export const tinyIdSimple: Dialect = {
  ...SHARED,
  request: (asking) => requestOf("nextIdSimple", asking),
  read(answer) {
    if (answer.status !== 200) return failureOf(answer.status, { detail: answer.text });
    if (answer.text === "") return empty(answer);
    // The beginning of a list of numbers is one too.
    return answer.delimited ? numbers(answer.text.split(","), answer) : unreadable(answer);
  },
};

function requestOf(route: string, { key, namespace, count }: Asking): HttpRequest {
  const query = new URLSearchParams({ bizType: namespace, batchSize: `${count}` });
  if (key !== undefined) query.set("token", key);
  return { path: `/tinyid/id/${route}?${query}`, headers: {} };
}

function numbers(texts: readonly string[], answer: Answer): Outcome {
  const ids = readDecimals(texts);
  return ids ? { kind: "acknowledged", ids } : unreadable(answer);
}

/** Its way to say that something went wrong, without a word about what was granted. */
function empty({ status }: Answer): Outcome {
  return failureOf(status, { code: "empty_answer", definite: false });
}
