/** The APIs that can be verified: how to request IDs from each, and how to read its answers. */
import { fieldsOf, jsonOf, textOf } from "../core/json.ts";
import { IDS_COUNT_MAX } from "../core/limits.ts";
import { type Answer, failureOf, idsOf, type Outcome, unreadable } from "./outcome.ts";

/** The options that a request is made of. */
export interface Asking {
  readonly key: string | undefined;
  readonly namespace: string;
  readonly count: number;
  readonly order: "fresh" | "strict";
  readonly shard: number | undefined;
}

export interface HttpRequest {
  /** Path and query, appended to the URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Dialect {
  /** Whether IDs have a time, at least in some namespaces. */
  readonly timed: boolean;
  /** Whether requests can have `key`, `shard` and `order`. */
  readonly placed: boolean;
  /** The most IDs of one request. */
  readonly countMax: number;
  /** A request for `count` IDs, of an ordering key if one is given. */
  request(asking: Asking, orderKey?: string): HttpRequest;
  read(answer: Answer): Outcome;
}

/** The headers of a request to a route of this service. */
export function headersOf(key: string | undefined): HttpRequest["headers"] {
  return { accept: "application/json", ...(key && { authorization: `Bearer ${key}` }) };
}

/** A worker ID: 22 bits at most. */
const SHARD = /^\d{1,7}$/;

/** `GET /v1/ids/{namespace}`. Not POST: a cache that repeats an answer should show as a duplicate. */
const edgeflake: Dialect = {
  timed: true,
  placed: true,
  countMax: IDS_COUNT_MAX,
  request({ key, namespace, count, order, shard }, orderKey) {
    const query = new URLSearchParams();
    if (count > 1) query.set("count", `${count}`);
    if (orderKey !== undefined) query.set("key", orderKey);
    if (shard !== undefined) query.set("shard", `${shard}`);
    if (order === "strict") query.set("order", order);
    const suffix = query.size > 0 ? `?${query}` : "";
    return { path: `/v1/ids/${encodeURIComponent(namespace)}${suffix}`, headers: headersOf(key) };
  },
  read(answer) {
    const { status, text, shard = "" } = answer;
    const { ids, code, detail, definite } = fieldsOf(jsonOf(text));
    if (status !== 200) {
      return failureOf(status, {
        code: textOf(code),
        detail: textOf(detail) ?? text,
        definite: typeof definite === "boolean" ? definite : undefined,
      });
    }
    if (!Array.isArray(ids)) return unreadable(answer);
    return idsOf(ids, answer, SHARD.test(shard) ? Number(shard) : undefined);
  },
};

/** Leaf's answer without an ID: a bare negative number, or one in the message of its error. */
const RESULT = /^(-[1-9]\d{0,8})$|\bResult\{id=(-?\d{1,9}), status=EXCEPTION\}/;
/** Not initialised, and no such key. Leaf uses −3 for everything else, internal errors too. */
const DEFINITE_RESULTS: readonly string[] = ["-1", "-2"];

/**
 * Meituan Leaf's `GET /api/{mode}/get/{key}`: a bare decimal.
 * Source: Leaf's LeafController and SnowflakeIDGenImpl.
 */
const leaf = (mode: "snowflake" | "segment"): Dialect => ({
  timed: mode === "snowflake",
  placed: false,
  countMax: 1,
  request({ key, namespace }) {
    // Leaf has no tokens; this service's routes of the same name do.
    const query = key === undefined ? "" : `?${new URLSearchParams({ token: key })}`;
    return { path: `/api/${mode}/get/${encodeURIComponent(namespace)}${query}`, headers: {} };
  },
  read(answer) {
    const { status, text, delimited } = answer;
    const [, bare, inMessage] = RESULT.exec(text) ?? [];
    const result = bare ?? inMessage;
    if (result !== undefined) {
      const definite = DEFINITE_RESULTS.includes(result);
      return failureOf(status, { code: `leaf_${result}`, definite });
    }
    if (status !== 200) {
      return failureOf(status, { detail: textOf(fieldsOf(jsonOf(text)).message) ?? text });
    }
    // Leaf's answer if the mode is off.
    if (text === "0") return failureOf(status, { code: "leaf_0", definite: true });
    // A number that was cut off is still a number.
    return delimited ? idsOf([text], answer) : unreadable(answer);
  },
});

const SUCCESS = 200;
const TOKEN_ERROR = 5;

/** The numbers as text: JSON.parse would round those beyond 2^53. */
const DATA = /"data"\s*:\s*\[([\d\s,]*)\]/;

function readTinyId(answer: Answer): Outcome {
  const { code, data, message } = fieldsOf(jsonOf(answer.text));
  if (typeof code !== "number") return unreadable(answer);
  if (code !== SUCCESS) {
    const definite = code === TOKEN_ERROR;
    return failureOf(answer.status, { code: `tinyid_${code}`, detail: textOf(message), definite });
  }
  if (!Array.isArray(data) || data.length === 0) return empty(answer);
  const list = DATA.exec(answer.text)?.[1];
  if (list === undefined) return unreadable(answer);
  const texts = list.split(",").map((text) => text.trim());
  return idsOf(texts, answer);
}

function readTinyIdSimple(answer: Answer): Outcome {
  if (answer.text === "") return empty(answer);
  // A list of numbers that was cut off is still a list.
  return answer.delimited ? idsOf(answer.text.split(","), answer) : unreadable(answer);
}

/** TinyID's answer if something failed: IDs may have been granted. */
function empty({ status }: Answer): Outcome {
  return failureOf(status, { code: "empty_answer", definite: false });
}

/**
 * Didi TinyID's `GET /tinyid/id/nextId` and `nextIdSimple`: always status 200, the outcome in the body.
 * Source: TinyID's IdContronller, ErrorCode and Response.
 */
const tinyId = (route: string, read: Dialect["read"]): Dialect => ({
  timed: false,
  placed: false,
  countMax: IDS_COUNT_MAX,
  request({ key, namespace, count }) {
    const query = new URLSearchParams({ bizType: namespace, batchSize: `${count}` });
    if (key !== undefined) query.set("token", key);
    return { path: `/tinyid/id/${route}?${query}`, headers: {} };
  },
  read: (answer) =>
    answer.status === 200 ? read(answer) : failureOf(answer.status, { detail: answer.text }),
});

export const DIALECTS = {
  edgeflake,
  "leaf-snowflake": leaf("snowflake"),
  "leaf-segment": leaf("segment"),
  tinyid: tinyId("nextId", readTinyId),
  "tinyid-simple": tinyId("nextIdSimple", readTinyIdSimple),
};

export type DialectName = keyof typeof DIALECTS;

export const DIALECT_NAMES = Object.keys(DIALECTS).filter(
  (name): name is DialectName => name in DIALECTS,
);
