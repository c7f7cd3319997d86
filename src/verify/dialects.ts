/** The APIs that can be verified: how to request IDs from each, and how to read its answers. */
import { fieldsOf, jsonOf, textOf } from "../core/json.ts";
import {
  type Answer,
  failureOf,
  type Outcome,
  readDecimal,
  readDecimals,
  unreadable,
} from "./outcome.ts";

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
  /** A request for `count` IDs, of an ordering key if one is given. */
  request(asking: Asking, orderKey: string | undefined): HttpRequest;
  read(answer: Answer): Outcome;
  /** `clock`: IDs have a time. `none`: they are plain numbers. `either`: it depends on the namespace. */
  readonly kind: "clock" | "none" | "either";
  /** Whether requests can have `key`, `shard` and `order`. */
  readonly placed: boolean;
  /** The most IDs of one request, if fewer than COUNT_MAX. */
  readonly countMax: number | undefined;
}

/** A worker ID: 22 bits at most. */
const SHARD = /^\d{1,7}$/;

/** `GET /v1/ids/{namespace}`. Not POST: a cache that repeats an answer should show as a duplicate. */
const edgeflake: Dialect = {
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

/** The outcome of a rejection, from its problem document if it has one. */
function refusal({ status, text }: Answer): Outcome {
  const { code, detail, definite } = fieldsOf(jsonOf(text));
  return failureOf(status, {
    code: textOf(code),
    detail: textOf(detail) ?? text,
    definite: typeof definite === "boolean" ? definite : undefined,
  });
}

/** Leaf's answer without an ID: a bare negative number, or one in the message of its error. */
const RESULT = /^(-[1-9]\d{0,8})$|\bResult\{id=(-?\d{1,9}), status=EXCEPTION\}/;
/** Not initialised, and no such key. Leaf uses −3 for everything else, internal errors too. */
const DEFINITE_RESULTS: readonly string[] = ["-1", "-2"];

/**
 * Meituan Leaf's `GET /api/{kind}/get/{key}`: a bare decimal.
 * Source: Leaf's LeafController and SnowflakeIDGenImpl.
 */
function leaf(kind: "snowflake" | "segment"): Dialect {
  return {
    kind: kind === "snowflake" ? "clock" : "none",
    placed: false,
    countMax: 1,
    request({ key, namespace }) {
      // Leaf has no tokens; this service's routes of the same name do.
      const query = key === undefined ? "" : `?${new URLSearchParams({ token: key })}`;
      return { path: `/api/${kind}/get/${encodeURIComponent(namespace)}${query}`, headers: {} };
    },
    read: readLeaf,
  };
}

function readLeaf(answer: Answer): Outcome {
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
  // Leaf's answer if the mode (snowflake or segment) is off.
  if (text === "0") return failureOf(status, { code: "leaf_0", definite: true });
  // A number that was cut off is still a number.
  const id = answer.delimited ? readDecimal(text) : undefined;
  return id === undefined ? unreadable(answer) : { kind: "acknowledged", ids: [id] };
}

/**
 * Didi TinyID's `GET /tinyid/id/nextId` and `nextIdSimple`: always status 200, the outcome in the body.
 * Source: TinyID's IdContronller, ErrorCode and Response.
 */
const SUCCESS = 200;
const TOKEN_ERROR = 5;

/** The numbers as text: JSON.parse would round those beyond 2^53. */
const DATA = /"data"\s*:\s*\[([\d\s,]*)\]/;

const SHARED = { kind: "none", placed: false, countMax: undefined } as const;

const tinyId: Dialect = {
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

const tinyIdSimple: Dialect = {
  ...SHARED,
  request: (asking) => requestOf("nextIdSimple", asking),
  read(answer) {
    if (answer.status !== 200) return failureOf(answer.status, { detail: answer.text });
    if (answer.text === "") return empty(answer);
    // A list of numbers that was cut off is still a list.
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

/** TinyID's answer if something failed: IDs may have been granted. */
function empty({ status }: Answer): Outcome {
  return failureOf(status, { code: "empty_answer", definite: false });
}

export const DIALECTS = {
  edgeflake,
  "leaf-snowflake": leaf("snowflake"),
  "leaf-segment": leaf("segment"),
  tinyid: tinyId,
  "tinyid-simple": tinyIdSimple,
} as const satisfies Readonly<Record<string, Dialect>>;

export type DialectName = keyof typeof DIALECTS;

export function isDialectName(text: string): text is DialectName {
  return Object.hasOwn(DIALECTS, text);
}
