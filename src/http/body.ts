/** JSON bodies: size, type, UTF-8, JSON and schema, each refused with what is taken. */
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import * as v from "valibot";
import type { FieldError } from "../core/namespace.ts";
import { BODY_BYTES_MAX } from "./limits.ts";
import { type Parsed, problem } from "./problem.ts";

/** Refuses bodies over BODY_BYTES_MAX, before they are read whole. */
export const limitedBody = bodyLimit({
  maxSize: BODY_BYTES_MAX,
  onError: (c) => {
    const detail = `A body here takes at most ${BODY_BYTES_MAX} bytes.`;
    return problem(c, { code: "body_too_large", detail });
  },
});

/** Reads a JSON object as the schema says; all its bad fields come back at once. */
export async function readBody<Schema extends v.GenericSchema>(
  c: Context,
  schema: Schema,
): Promise<Parsed<v.InferOutput<Schema>>> {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    const detail = "A body here takes the content type application/json, in UTF-8.";
    return { ok: false, response: problem(c, { code: "unsupported_media_type", detail }) };
  }
  const text = utf8Of(await c.req.arrayBuffer());
  const value = text === undefined ? undefined : jsonOf(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const detail = "The body takes one JSON object in UTF-8.";
    return { ok: false, response: problem(c, { code: "invalid_body", detail }) };
  }
  const result = v.safeParse(schema, value);
  if (result.success) return { ok: true, value: result.output };
  const errors = result.issues.map((issue) => {
    const unknown = issue.expected === "never";
    const detail = unknown ? "is not a field here" : issue.message;
    return { field: v.getDotPath(issue) ?? "body", detail };
  });
  return { ok: false, response: invalidBody(c, errors) };
}

/** Every bad field at once, each with what it takes. */
export function invalidBody(c: Context, errors: readonly FieldError[]): Response {
  const detail = `${errors.map((error) => `${error.field} ${error.detail}`).join("; ")}.`;
  return problem(c, { code: "invalid_body", detail, errors });
}

function utf8Of(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
