/** Reads JSON bodies, and checks size, type, UTF-8, JSON and schema. */
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { timeout } from "hono/timeout";
import * as v from "valibot";
import type { Allowed, FieldError } from "../../core/allowed.ts";
import { jsonOf } from "../../core/json.ts";
import { invalidBody as invalid } from "../../core/problem.ts";
import { allowedBy } from "../../service/schema.ts";
import { type Parsed, problem } from "../reply/problem.ts";
import { BODY_BYTES_MAX, BODY_READ_MAX_MS } from "./limits.ts";

/** Rejects bodies above BODY_BYTES_MAX without reading all of them, and incomplete chunked bodies. */
export const limitedBody = createMiddleware(async (c, next) => {
  try {
    return await limit(c, next);
  } catch {
    // Errors of the handler go to onError, so only reading the body can throw here.
    return problem(c, {
      code: "invalid_body",
      detail: "The connection closed before the whole body arrived.",
    });
  }
});

const limit = bodyLimit({
  maxSize: BODY_BYTES_MAX,
  onError: (c) => {
    const detail = `The body must be at most ${BODY_BYTES_MAX} bytes.`;
    return problem(c, { code: "body_too_large", detail });
  },
});

/** Rejects bodies that take longer than BODY_READ_MAX_MS, so that nobody can hold a request open forever. */
export const timelyBody = timeout(BODY_READ_MAX_MS, (c) => {
  const detail = `The body must arrive within ${BODY_READ_MAX_MS} ms.`;
  return new HTTPException(400, { res: problem(c, { code: "invalid_body", detail }) });
});

/** Reads a body; undefined if it is above BODY_BYTES_MAX, incomplete, or takes longer than BODY_READ_MAX_MS. */
export async function boundedBytes(
  body: ReadableStream<Uint8Array>,
): Promise<Uint8Array | undefined> {
  const done = new AbortController();
  const late = scheduler.wait(BODY_READ_MAX_MS, { signal: done.signal }).then(() => undefined);
  const reader = body.getReader();
  try {
    return await Promise.race([bytesFrom(reader), late]);
  } catch {
    return undefined;
  } finally {
    done.abort();
    late.catch(() => undefined);
    // The rest of the body is not needed, and its errors do not matter.
    reader.cancel().catch(() => undefined);
  }
}

async function bytesFrom(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<Uint8Array | undefined> {
  const whole = new Uint8Array(BODY_BYTES_MAX);
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return whole.subarray(0, length);
    if (length + value.length > BODY_BYTES_MAX) return undefined;
    whole.set(value, length);
    length += value.length;
  }
}

/** Content types of a request body, in UTF-8. */
export const JSON_TYPES: readonly string[] = ["application/json"];
/** The same of a JSON merge patch (RFC 7396). */
export const PATCH_TYPES: readonly string[] = ["application/merge-patch+json", ...JSON_TYPES];

const UTF8_TYPE = /^([a-z/+-]+)\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/** Reads a JSON object as its schema says, which `schemaOf` picks; all its bad fields come back at once. */
export async function readBody<Schema extends v.GenericSchema>(
  c: Context,
  schemaOf: (value: object) => Schema,
  types = JSON_TYPES,
): Promise<Parsed<v.InferOutput<Schema>>> {
  const [, type = ""] = UTF8_TYPE.exec(c.req.header("content-type") ?? "") ?? [];
  if (!types.includes(type.toLowerCase())) {
    const detail = `Content-Type must be ${types.join(" or ")}, in UTF-8.`;
    return { ok: false, response: problem(c, { code: "unsupported_media_type", detail }) };
  }
  const text = utf8Of(await bytesOf(c));
  const value = text === undefined ? undefined : jsonOf(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const detail = "The body must be one JSON object in UTF-8.";
    return { ok: false, response: problem(c, { code: "invalid_body", detail }) };
  }
  const schema = schemaOf(value);
  const result = v.safeParse(schema, value);
  if (result.success) return { ok: true, value: result.output };
  return { ok: false, response: invalidBody(c, errorsOf(schema, value, result.issues)) };
}

/** Like `readBody`, but a missing body counts as `{}`. */
export async function readOptionalBody<Schema extends v.GenericSchema>(
  c: Context,
  schema: Schema,
): Promise<Parsed<v.InferOutput<Schema>>> {
  const isBare = c.req.header("content-type") === undefined && (await bytesOf(c))?.byteLength === 0;
  if (!isBare) return await readBody(c, () => schema);
  return { ok: true, value: v.parse(schema, {}) };
}

/** Rejects a body for its fields. */
export function invalidBody(c: Context, errors: readonly FieldError[]): Response {
  return problem(c, invalid(errors));
}

function errorsOf(
  schema: v.GenericSchema,
  value: object,
  issues: readonly v.GenericIssue[],
): FieldError[] {
  // Valibot reports only the first unknown field of an object, so unknownFields finds all of them.
  const known = issues.filter(({ expected }) => expected !== "never");
  return [
    ...unknownFields(schema, value, "").map((field) => ({ field, detail: "is an unknown field" })),
    ...known.map((issue) => {
      return { field: v.getDotPath(issue) ?? "body", ...wrongIn(issue) };
    }),
  ];
}

function wrongIn({ received, message }: v.GenericIssue): Allowed {
  if (received === "undefined") return { detail: "is required" };
  const rule = allowedBy(message);
  return received === "null" ? { ...rule, detail: `can't be null: ${rule.detail}` } : rule;
}

/** The dot paths of all fields that a schema of strict objects does not have. */
function unknownFields(schema: unknown, value: unknown, prefix: string): string[] {
  if (!v.is(Wrapped, schema) || typeof value !== "object" || value === null) return [];
  if (schema.wrapped) return unknownFields(schema.wrapped, value, prefix);
  const entries = schema.entries;
  if (!entries || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    Object.hasOwn(entries, name)
      ? unknownFields(entries[name], field, `${prefix}${name}.`)
      : [`${prefix}${name}`],
  );
}

/** The parts of Valibot's schemas that unknownFields reads. */
const Wrapped = v.looseObject({
  wrapped: v.optional(v.unknown()),
  entries: v.optional(v.record(v.string(), v.unknown())),
});

/** The body's bytes; undefined if it is incomplete. */
async function bytesOf(c: Context): Promise<ArrayBuffer | undefined> {
  try {
    return await c.req.arrayBuffer();
  } catch {
    return undefined;
  }
}

function utf8Of(bytes: ArrayBuffer | undefined): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined;
  }
}
