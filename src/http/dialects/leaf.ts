/**
 * The HTTP interface of Meituan Leaf's server: IDs as plain decimals, and Spring Boot's error body with Leaf's message.
 * Unlike Leaf, this never responds to a failure with `0` and status 200.
 * Source: Leaf's LeafController and LeafMonitorController.
 */
import { type Context, Hono } from "hono";
import type { Outcome, Problem } from "../../core/problem.ts";
import { idTexts } from "../../service/issue/id-texts.ts";
import type { Namespace } from "../../service/registry/namespaces.ts";
import type { AppEnv } from "../middleware/app-env.ts";
import { ISSUING_METHODS, methodRefused } from "../reply/methods.ts";
import { addressed, issued, outcomeOf, permitted, refuse } from "./dialect.ts";

export const leaf = new Hono<AppEnv>();

/** Leaf's codes in `Result{id=…, status=EXCEPTION}`. */
const NOT_INITIALISED = -1;
const NO_SUCH_KEY = -2;
const NOT_AVAILABLE = -3;

const RESULT_IDS: Partial<Record<Problem["code"], number>> = {
  not_configured: NOT_INITIALISED,
  registry_unavailable: NOT_INITIALISED,
  // Leaf has no tokens, so a caller without access gets the error of an unknown key.
  unauthorized: NO_SUCH_KEY,
  forbidden: NO_SUCH_KEY,
  unknown_namespace: NO_SUCH_KEY,
  namespace_retired: NO_SUCH_KEY,
  wrong_kind: NO_SUCH_KEY,
};

const LEAF_EXCEPTION = "com.sankuai.inf.leaf.server.exception.LeafServerException";
const MISSING_PARAMETER = "org.springframework.web.bind.MissingServletRequestParameterException";

/** Leaf's epoch, that of the preset `leaf`. */
const LEAF_EPOCH_MS = 1_288_834_974_657;
/** Default UTC offset of printed times: Leaf uses its servers' zone. */
const HOME_UTC_OFFSET = "+08:00";
const UTC_OFFSET = /^([+-])(0\d|1[0-4]):([0-5]\d)$/;

/** Leaf's error message for a text that is no ID. */
const NOT_AN_ID = "snowflake Id反解析发生异常!";

const KINDS: Readonly<Record<string, Namespace["kind"]>> = {
  "/api/segment/get/:key": "segment",
  "/api/snowflake/get/:key": "snowflake",
};

for (const [path, kind] of Object.entries(KINDS)) {
  leaf.on(ISSUING_METHODS, path, async (c) => {
    if (c.req.method === "HEAD") return methodRefused(c, ISSUING_METHODS);
    const outcome = await outcomeOf(c, async () => {
      const found = await addressed(
        c,
        "leaf",
        c.req.query("token"),
        c.req.param("key") ?? "",
        kind,
      );
      return found.ok ? await issued(found.value, 1) : found;
    });
    c.header("cache-control", "no-store");
    if (!outcome.ok) return leafError(c, outcome.problem);
    const [text = ""] = idTexts(outcome.value, "decimal");
    return c.body(text, 200, { "content-type": "text/plain;charset=UTF-8" });
  });
  leaf.all(path, (c) => methodRefused(c, ISSUING_METHODS));
}

leaf.get("/decodeSnowflakeId", async (c) => {
  c.header("cache-control", "no-store");
  const outcome = await outcomeOf(c, async (): Promise<Outcome<string>> => {
    const found = await permitted(c, c.req.query("token"), "read");
    if (!found.ok) return found;
    const offset = c.env.LEAF_UTC_OFFSET || HOME_UTC_OFFSET;
    if (UTC_OFFSET.test(offset)) return { ok: true, value: offset };
    return refuse("not_configured", "LEAF_UTC_OFFSET must be ±HH:MM.");
  });
  if (!outcome.ok) return leafError(c, outcome.problem);
  const text = c.req.query("snowflakeId");
  if (text === undefined) {
    c.set("dialectCode", "invalid_parameter");
    const message = "Required String parameter 'snowflakeId' is not present";
    return springError(c, 400, "Bad Request", MISSING_PARAMETER, message);
  }
  return springJson(c, 200, decoded(text, outcome.value));
});
leaf.all("/decodeSnowflakeId", (c) => methodRefused(c, ["GET", "HEAD"]));

/** Decodes an ID of the preset `leaf`, with Leaf's arithmetic on Java's long. */
function decoded(text: string, utcOffset: string): Record<string, string> {
  const id = longOf(text);
  if (id === undefined) return { errorMsg: NOT_AN_ID };
  const unixMs = Number(id >> 22n) + LEAF_EPOCH_MS;
  return {
    timestamp: `${unixMs}(${localTime(unixMs, utcOffset)})`,
    sequenceId: `${id ^ ((id >> 12n) << 12n)}`,
    workerId: `${(id >> 12n) ^ ((id >> 22n) << 10n)}`,
  };
}

/** Reads a text like Java's Long.parseLong; undefined if that would throw. */
function longOf(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,100}$/.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** A time as Java's `yyyy-MM-dd HH:mm:ss.SSS` in a zone. */
function localTime(unixMs: number, utcOffset: string): string {
  const [, sign, hours = "0", minutes = "0"] = UTC_OFFSET.exec(utcOffset) ?? [];
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  return new Date(unixMs + offsetMs).toISOString().replace("T", " ").replace("Z", "");
}

function leafError(c: Context<AppEnv>, { code }: Problem): Response {
  const message = `Result{id=${RESULT_IDS[code] ?? NOT_AVAILABLE}, status=EXCEPTION}`;
  return springError(c, 500, "Internal Server Error", LEAF_EXCEPTION, message);
}

/** The error response of Spring Boot 1.5, which Leaf's server uses. */
function springError(
  c: Context<AppEnv>,
  status: 400 | 500,
  error: string,
  exception: string,
  message: string,
): Response {
  const path = new URL(c.req.url).pathname;
  return springJson(c, status, { timestamp: Date.now(), status, error, exception, message, path });
}

function springJson(c: Context, status: 200 | 400 | 500, body: object): Response {
  const type = { "content-type": "application/json;charset=UTF-8" };
  return c.body(JSON.stringify(body), status, type);
}
