/**
 * The OpenAPI 3.1 document, made at build time from the schemas that validate the requests.
 * It stays out of the Worker's bundle; what it makes is committed as src/http/openapi.json.
 */
import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { PROBLEM_KINDS, type ProblemCode } from "../http/problem.ts";
import type { Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { SCHEMAS } from "./schemas.ts";
import type { Schema } from "./shapes.ts";
import { NOTES } from "./texts.ts";

const EVERYWHERE: readonly ProblemCode[] = ["method_not_allowed"];
const GATED: readonly ProblemCode[] = [
  "unauthorized",
  "forbidden",
  "rate_limited",
  "internal",
  "not_configured",
  "registry_unavailable",
];
/** Makes the document. */
export function openApiDocument(): Schema {
  const paths: Record<string, Schema> = {};
  const responses: Record<string, Schema> = {};
  for (const [path, methods] of Object.entries(OPERATIONS)) {
    const operations = Object.entries(methods).map(([method, operation]) => {
      return [method, operationOf(path, operation, responses)] as const;
    });
    paths[path] = Object.fromEntries(operations);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Edgeflake",
      version: "1",
      summary: "Unique, time-ordered IDs on Cloudflare Workers",
      description: NOTES.about,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: Object.entries(NOTES.tags).map(([name, description]) => ({ name, description })),
    security: [{ bearer: [] }, {}],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", description: NOTES.bearer } },
      schemas: SCHEMAS,
      responses,
      examples: Object.fromEntries(
        Object.entries(PROBLEM_KINDS).map(([code, { status, title }]) => {
          const detail = NOTES.codes[code as ProblemCode];
          const value = { type: `/docs#${code}`, title, status, detail, code };
          return [code, { summary: title, value: { ...value, requestId: "…", definite: true } }];
        }),
      ),
    },
  };
}

function operationOf(
  path: string,
  operation: Operation,
  responses: Record<string, Schema>,
): Schema {
  const {
    id,
    tag,
    summary,
    query,
    headers = [],
    body,
    bodyExample,
    answers,
    errors,
    open,
  } = operation;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const parameters = [
    ...names.map((name) => ({ name, in: "path", required: true, ...NOTES.pathParameters[name] })),
    ...Object.entries(query ?? {}).map(([name, schema]) => queryParameter(name, schema)),
    ...headers,
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(open && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: schemaOf(body, "input"), example: bodyExample } },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, answerOf(summary, answer)]),
      ),
      ...problemAnswers([...errors, ...EVERYWHERE, ...(open ? [] : GATED)], responses),
    },
  };
}

function answerOf(
  description: string,
  { schema, also, example, headers }: Operation["answers"][string],
): Schema {
  const json = schema && {
    "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, example },
  };
  const other = also && { [also]: {} };
  return {
    description,
    ...(headers && { headers }),
    ...((json || other) && { content: { ...json, ...other } }),
  };
}

/** One response per status, with an example per code; the responses themselves are shared in `responses`. */
function problemAnswers(
  codes: readonly ProblemCode[],
  responses: Record<string, Schema>,
): Record<string, Schema> {
  const byStatus = Map.groupBy(new Set(codes), (code) => `${PROBLEM_KINDS[code].status}`);
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => {
      const name = [status, ...same].join("-");
      const examples = same.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
      const schema = { $ref: "#/components/schemas/Problem" };
      const problem = { schema, examples: Object.fromEntries(examples) };
      const content = { "application/problem+json": problem };
      const headers = NOTES.problemHeaders[status];
      const description = same.map((code) => `\`${code}\``).join(", ");
      responses[name] ??= { description, ...(headers && { headers }), content };
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function queryParameter(name: string, schema: v.GenericSchema): Schema {
  const required = schema.type !== "optional";
  // Instants are read into numbers, and written as text.
  const typeMode = required ? "input" : "output";
  const description = NOTES.parameters[name];
  if (description === undefined) throw new RangeError(`parameter ${name} has no description`);
  return { name, in: "query", required, description, schema: schemaOf(schema, typeMode) };
}

function schemaOf(schema: v.GenericSchema, typeMode: "input" | "output"): Schema {
  const { $schema: _, ...rest } = toJsonSchema(schema, {
    typeMode,
    target: "draft-2020-12",
    errorMode: "ignore",
  });
  return rest;
}
