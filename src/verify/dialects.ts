/** The servers that can be verified: how each is asked for IDs, and how its answers are read. */
import { fieldsOf, jsonOf, textOf } from "../core/json.ts";
import {
  type Answer,
  failureOf,
  type Outcome,
  readDecimal,
  readDecimals,
  unreadable,
} from "./outcome.ts";

/** What of the command line decides how a request looks. */
export interface Asking {
  readonly key: string | undefined;
  readonly namespace: string;
  readonly count: number;
  readonly order: "fresh" | "strict";
  readonly shard: number | undefined;
}

export interface HttpRequest {
  /** Path and query, to be put behind the URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Dialect {
  /** A request for `count` IDs, of one key's line where one is given. */
  request(asking: Asking, orderKey: string | undefined): HttpRequest;
  read(answer: Answer): Outcome;
  /** `clock`: IDs have a time where their layout is known. `none`: they are numbers. `either`: the namespace says. */
  readonly kind: "clock" | "none" | "either";
  /** Whether it takes `key`, `shard` and `order`. */
  readonly placed: boolean;
  /** IDs at once, at most. */
  readonly countMax: number | undefined;
}

/** A worker ID: 22 bits at most. */
const SHARD = /^\d{1,7}$/;

/** `GET /v1/ids/{namespace}`. GET on purpose: a cache on the way that repeats an answer is to be found out. */
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

/** Problem details, where it has them. */
function refusal({ status, text }: Answer): Outcome {
  const { code, detail, definite } = fieldsOf(jsonOf(text));
  return failureOf(status, {
    code: textOf(code),
    detail: textOf(detail) ?? text,
    definite: typeof definite === "boolean" ? definite : undefined,
  });
}

/** What Leaf says where it gives no ID: bare, or in the message of its error. */
const RESULT = /^(-[1-9]\d{0,8})$|\bResult\{id=(-?\d{1,9}), status=EXCEPTION\}/;
/** Not initialised, and no such key. −3 is used for all else, also for what failed inside. */
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
      // Leaf knows no tokens; this service's routes of the same name do.
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
  // A Leaf whose mode is off answers that to everybody.
  if (text === "0") return failureOf(status, { code: "leaf_0", definite: true });
  // The beginning of a number is one too.
  const id = answer.delimited ? readDecimal(text) : undefined;
  return id === undefined ? unreadable(answer) : { kind: "acknowledged", ids: [id] };
}

/**
 * Didi TinyID's `GET /tinyid/id/nextId` and `nextIdSimple`: always status 200, the outcome in the body.
 * Source: TinyID's IdContronller, ErrorCode and Response.
 */
const SUCCESS = 200;
const TOKEN_ERROR = 5;

/** The numbers as they are written: JSON.parse would round those beyond 2^53. */
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
