/**
 * The OpenAPI 3.1 document, made at build time from the schemas that validate the requests.
 * What it makes is committed as openapi.json beside it, and served as a static asset.
 */
import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import type { ProblemCode } from "../core/problem.ts";
import type { Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { SCHEMAS } from "./schemas.ts";
import type { Schema } from "./shapes.ts";
import { NOTES } from "./texts.ts";
import { type OperationParts, wholeDocument } from "./whole.ts";

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
export function openApiDocument() {
  const paths: Record<string, Record<string, OperationParts>> = {};
  for (const [path, methods] of Object.entries(OPERATIONS)) {
    const operations = Object.entries(methods).map(([method, operation]) => {
      return [method, operationOf(path, operation)] as const;
    });
    paths[path] = Object.fromEntries(operations);
  }
  return wholeDocument({
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
    },
    codes: NOTES.codes,
    problemHeaders: NOTES.problemHeaders,
  });
}

function operationOf(path: string, operation: Operation): OperationParts {
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
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, answerOf(summary, answer)]),
    ),
    errors: [...new Set([...errors, ...EVERYWHERE, ...(open ? [] : GATED)])],
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
