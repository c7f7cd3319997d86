/** Random requests, with and without errors by the API document. */
import * as v from "valibot";
import document from "../../src/openapi/openapi.json";
import type { Random } from "./random.ts";
import { ODD_TEXTS, oddValue, someValue, type ValueSchema } from "./schema-values.ts";

const Parameter = v.object({
  name: v.string(),
  in: v.picklist(["path", "query", "header"]),
  required: v.optional(v.boolean(), false),
  schema: v.looseObject({}),
});
type Parameter = v.InferOutput<typeof Parameter>;
const Operation = v.object({
  operationId: v.string(),
  parameters: v.optional(v.array(Parameter), []),
  requestBody: v.optional(
    v.object({ content: v.record(v.string(), v.object({ schema: v.looseObject({}) })) }),
  ),
});
const Document = v.object({ paths: v.record(v.string(), v.record(v.string(), Operation)) });

interface Described extends v.InferOutput<typeof Operation> {
  readonly path: string;
  readonly method: string;
}

const OPERATIONS: readonly Described[] = Object.entries(v.parse(Document, document).paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
);

/** Pages and health take no parameter: one in so many requests is theirs. */
const PLAIN_ONE_IN = 40;
const WITH_PARAMETERS = OPERATIONS.filter(
  ({ parameters, requestBody }) => parameters.length > 0 || requestBody,
);

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"];
const JSON_TYPE = "application/json";
const TYPES = [
  "text/plain",
  "application/json;charset=utf-16",
  "application/x-www-form-urlencoded",
  "*/*",
  "",
];
const ACCEPTED = [
  "application/json",
  "text/plain",
  "*/*",
  "text/html;q=0.5, text/plain;q=0.9",
  "a",
  ";",
];
const ODD_BODIES = [
  "",
  "{",
  "null",
  "[]",
  '"x"',
  '{"a":1,"a":2}',
  `"${"x".repeat(20_000)}"`,
  "[".repeat(9000),
];

/** One parameter in so many has a value that its schema rejects, … */
const WRONG_ONE_IN = 10;
/** … and one request in so many has something that no operation describes. */
const ODD_ONE_IN = 15;

/** Values of a parameter from earlier responses, so that requests name existing things. */
export type Known = Readonly<Record<string, readonly string[]>>;

export interface FuzzedRequest {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

export function fuzzedRequest(random: Random, known: Known): FuzzedRequest {
  const described = random.pick(random.isOneOf(PLAIN_ONE_IN) ? OPERATIONS : WITH_PARAMETERS);
  const { operationId, parameters, requestBody } = described;
  const values = parameters
    .filter(
      ({ required, in: where }) =>
        where === "path" || (required ? !random.isOneOf(ODD_ONE_IN) : random.isOneOf(3)),
    )
    .map((parameter) => ({ ...parameter, value: textOf(parameter, random, known) }));
  const ofPath = new Map(values.map(({ name, value }) => [name, value]));
  const path = described.path.replace(/\{(\w+)\}/g, (_, name) =>
    encoded(ofPath.get(name) ?? "", random),
  );
  const query = values
    .filter((value) => value.in === "query")
    .map(({ name, value }) => `${name}=${encoded(value, random)}`);
  if (query.length > 0 && random.isOneOf(ODD_ONE_IN)) query.push(random.pick(query));
  if (random.isOneOf(ODD_ONE_IN))
    query.push(random.pick(["x=1", "=", "count", "%zz=1", "&&", "Count=1", "a[]=1"]));
  const headers: Record<string, string> = {};
  for (const { name, value, in: where } of values) {
    if (where === "header") headers[name] = headerText(value);
  }
  if (random.isOneOf(4)) headers.accept = random.pick(ACCEPTED);
  if (random.isOneOf(ODD_ONE_IN)) headers["x-request-id"] = headerText(random.pick(ODD_TEXTS));
  if (random.isOneOf(ODD_ONE_IN)) headers.origin = random.pick(["null", "https://a.test", "x"]);
  const method = random.isOneOf(ODD_ONE_IN) ? random.pick(METHODS) : described.method;
  const target = `${path}${query.length > 0 ? `?${query.join("&")}` : ""}`;
  const contents = Object.entries(requestBody?.content ?? {});
  const [type, content] =
    contents.length > 1 ? random.pick(contents) : (contents[0] ?? [JSON_TYPE]);
  const body = bodyOf(content?.schema, random);
  if (body === undefined || method === "HEAD")
    return { operationId, method, path: target, headers };
  headers["content-type"] = random.isOneOf(ODD_ONE_IN) ? random.pick(TYPES) : type;
  return { operationId, method, path: target, headers, body };
}

function textOf({ name, schema }: Parameter, random: Random, known: Known): string {
  if (random.isOneOf(WRONG_ONE_IN)) return `${oddValue(schema, random)}`;
  const seen = known[name];
  return seen && !random.isOneOf(6) ? random.pick(seen) : `${someValue(schema, random)}`;
}

function bodyOf(schema: ValueSchema | undefined, random: Random): string | undefined {
  if (!schema) return random.isOneOf(ODD_ONE_IN) ? random.pick(ODD_BODIES) : undefined;
  return random.isOneOf(ODD_ONE_IN)
    ? random.pick(ODD_BODIES)
    : JSON.stringify(someValue(schema, random));
}

/** Percent-encoded, now and then wrongly. */
function encoded(text: string, random: Random): string {
  const right = encodeURIComponent(text.toWellFormed());
  if (!random.isOneOf(4 * ODD_ONE_IN)) return right;
  return random.pick([
    `${right}%`,
    `${right}%zz`,
    `${right}%C0%80`,
    `${right}%2F`,
    `${right};a=1`,
    `/${right}`,
  ]);
}

/** The part of a text that a header can carry: a client can send no more. */
function headerText(text: string): string {
  return text.replace(/[^\t\x20-\xff]/g, "?");
}
