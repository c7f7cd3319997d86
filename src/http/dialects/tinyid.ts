/**
 * The HTTP interface of Didi TinyID's server: the status is always 200, and the body has a code for the outcome. In the
 * simple forms, an empty body means failure. Parameters come in the query or as a form.
 * Source: TinyID's IdContronller, ErrorCode and DbSegmentIdServiceImpl.
 */
import { type Context, Hono } from "hono";
import type { Outcome, Problem } from "../../core/problem.ts";
import { idTexts } from "../../service/issue/id-texts.ts";
import { issueSegment } from "../../service/issue/issue.ts";
import type { AppEnv } from "../middleware/app-env.ts";
import { boundedBytes } from "../parse/body.ts";
import { BODY_BYTES_MAX, BODY_READ_MAX_MS, TINYID_BATCH_MAX } from "../parse/limits.ts";
import { ISSUING_METHODS, methodRefused } from "../reply/methods.ts";
import { addressed, issued, outcomeOf, refuse } from "./dialect.ts";

export const tinyId = new Hono<AppEnv>();

const SUCCESS = 200;
const TOKEN_ERROR = { code: 5, message: "token is error" };
const SYSTEM_ERROR_CODE = 6;
/** A client loads the next segment after this percentage of the current one (TinyID's LOADING_PERCENT). */
const LOADING_PERCENT = 20n;

/** A segment in TinyID's form: the IDs in (currentId, maxId] with `remainder` when divided by `delta`. */
interface TinySegment {
  readonly maxId: bigint;
  readonly loadingId: bigint;
  readonly currentId: bigint;
  readonly delta: number;
  readonly remainder: number;
}

for (const path of ["/nextId", "/nextIdSimple"]) {
  tinyId.on(ISSUING_METHODS, path, async (c) => {
    if (c.req.method === "HEAD") return methodRefused(c, ISSUING_METHODS);
    const outcome = await outcomeOf(c, () => nextIds(c));
    if (isSimple(c)) return simpleAnswer(c, outcome.ok ? outcome.value : "");
    return outcome.ok ? jsonAnswer(c, `[${outcome.value}]`) : jsonError(c, outcome.problem);
  });
}

for (const path of ["/nextSegmentId", "/nextSegmentIdSimple"]) {
  tinyId.on(ISSUING_METHODS, path, async (c) => {
    if (c.req.method === "HEAD") return methodRefused(c, ISSUING_METHODS);
    const outcome = await outcomeOf(c, () => nextSegment(c));
    if (isSimple(c)) return simpleAnswer(c, outcome.ok ? simpleSegment(outcome.value) : "");
    return outcome.ok ? jsonAnswer(c, jsonSegment(outcome.value)) : jsonError(c, outcome.problem);
  });
}

tinyId.all("/:route{nextId|nextIdSimple|nextSegmentId|nextSegmentIdSimple}", (c) =>
  methodRefused(c, ISSUING_METHODS),
);

/** Issues IDs as decimals, separated by commas. */
async function nextIds(c: Context<AppEnv>): Promise<Outcome<string>> {
  const given = await parametersOf(c);
  if (!given.ok) return given;
  const { bizType = "", token, batchSize } = given.value;
  const found = await addressed(c, "tinyid", token, bizType, "segment");
  if (!found.ok) return found;
  const count = batchSizeOf(batchSize);
  if (count === undefined) {
    return refuse(
      "invalid_parameter",
      `batchSize must be an integer from 1; values above ${TINYID_BATCH_MAX} count as ${TINYID_BATCH_MAX}.`,
    );
  }
  const blocks = await issued(found.value, count);
  return blocks.ok ? { ok: true, value: idTexts(blocks.value, "decimal").join(",") } : blocks;
}

async function nextSegment(c: Context<AppEnv>): Promise<Outcome<TinySegment>> {
  const given = await parametersOf(c);
  if (!given.ok) return given;
  const { bizType = "", token } = given.value;
  const found = await addressed(c, "tinyid", token, bizType, "segment");
  if (!found.ok) return found;
  const { client, namespace } = found.value;
  const { delta, remainder } = namespace.definition;
  const segment = await issueSegment(client, namespace);
  if (!segment.ok) return segment;
  const { from, until } = segment.value;
  const currentId = from - 1n;
  const loadingId = currentId + ((until - from) * LOADING_PERCENT) / 100n;
  return { ok: true, value: { maxId: until - 1n, loadingId, currentId, delta, remainder } };
}

interface Parameters {
  readonly bizType?: string | undefined;
  readonly batchSize?: string | undefined;
  readonly token?: string | undefined;
}

/** The parameters in query and form. If one is repeated, the first value counts, and the query comes first. */
async function parametersOf(c: Context): Promise<Outcome<Parameters>> {
  const query = new URL(c.req.url).searchParams;
  const form = await formOf(c);
  if (!form) {
    return refuse(
      "invalid_parameter",
      `A form must be at most ${BODY_BYTES_MAX} bytes, and arrive within ${BODY_READ_MAX_MS} ms.`,
    );
  }
  const of = (name: string): string | undefined => query.get(name) ?? form.get(name) ?? undefined;
  return {
    ok: true,
    value: { bizType: of("bizType"), batchSize: of("batchSize"), token: of("token") },
  };
}

/** The form fields of the request body, empty without a form; undefined if the body is too large or incomplete. */
async function formOf(c: Context): Promise<URLSearchParams | undefined> {
  const type = c.req.header("content-type") ?? "";
  const { body } = c.req.raw;
  if (!body || !/^application\/x-www-form-urlencoded\b/i.test(type)) return new URLSearchParams();
  const bytes = await boundedBytes(body);
  return bytes && new URLSearchParams(new TextDecoder().decode(bytes));
}

/** Reads batchSize; absent or empty means 1. */
function batchSizeOf(given: string | undefined): number | undefined {
  const text = given || "1";
  if (!/^\+?0*[1-9]\d*$/.test(text)) return undefined;
  return Math.min(Number(text), TINYID_BATCH_MAX);
}

function simpleSegment({ currentId, loadingId, maxId, delta, remainder }: TinySegment): string {
  return `${currentId},${loadingId},${maxId},${delta},${remainder}`;
}

/** Written by hand: numbers above 2^53 are BigInts, which JSON.stringify rejects. */
function jsonSegment({ maxId, loadingId, currentId, delta, remainder }: TinySegment): string {
  return `{"maxId":${maxId},"loadingId":${loadingId},"currentId":${currentId},"delta":${delta},"remainder":${remainder}}`;
}

function jsonAnswer(c: Context, data: string): Response {
  return json(c, `{"data":${data},"code":${SUCCESS},"message":""}`);
}

function jsonError(c: Context, { code, detail }: Problem): Response {
  const isToken = code === "unauthorized" || code === "forbidden";
  const error = isToken ? TOKEN_ERROR : { code: SYSTEM_ERROR_CODE, message: detail };
  return json(c, JSON.stringify({ data: null, ...error }));
}

function json(c: Context, text: string): Response {
  return answer(c, text, "application/json;charset=UTF-8");
}

function simpleAnswer(c: Context, text: string): Response {
  return answer(c, text, "text/plain;charset=UTF-8");
}

function answer(c: Context, text: string, type: string): Response {
  return c.body(text, 200, { "content-type": type, "cache-control": "no-store" });
}

function isSimple(c: Context): boolean {
  return c.req.path.endsWith("Simple");
}
