/**
 * Generates the OpenAPI 3.1 document from the schemas that validate the requests.
 * The result is committed as openapi.json in this folder, and served as a static asset.
 */
import type * as v from "valibot";
import { mapFields } from "../core/layout/fields.ts";
import { JSON_TYPES } from "../http/parse/body.ts";
import type { Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { codesOf, problemAnswers, problemExample } from "./problems.ts";
import { SCHEMAS } from "./schemas.ts";
import { ref, type Schema, schemaOf } from "./shapes.ts";
import { NOTES } from "./texts.ts";

export function openApiDocument() {
  const responses: Record<string, Schema> = {};
  const paths = mapFields(OPERATIONS, (methods, path) =>
    mapFields(methods, (operation) => operationOf(path, operation, responses)),
  );
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
      examples: mapFields(NOTES.codes, problemExample),
    },
  };
}

function operationOf(path: string, operation: Operation, shared: Record<string, Schema>): Schema {
  const { id, tag, summary, query = {}, headers = [], open = false } = operation;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const parameters = [
    ...names.map((name) => ({ name, in: "path", required: true, ...NOTES.pathParameters[name] })),
    ...Object.entries(query).map(([name, schema]) => queryParameter(name, schema)),
    ...headers,
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(open && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(operation),
    responses: {
      ...mapFields(operation.answers, (answer) => answerOf(summary, answer)),
      ...problemAnswers(codesOf(operation.errors, open), shared),
    },
  };
}

function bodyOf({ body, bodyExample, bodyTypes = JSON_TYPES }: Operation): Schema {
  if (!body) return {};
  const media = { schema: schemaOf(body, "input"), example: bodyExample };
  const content = Object.fromEntries(bodyTypes.map((type) => [type, media]));
  return { requestBody: { required: true, content } };
}

function answerOf(
  description: string,
  { schema, also, example, headers }: Operation["answers"][string],
): Schema {
  const json = schema && { "application/json": { schema: ref(schema), example } };
  const other = also && { [also]: {} };
  return {
    description,
    ...(headers && { headers }),
    ...((json || other) && { content: { ...json, ...other } }),
  };
}

function queryParameter(name: string, schema: v.GenericSchema): Schema {
  const required = schema.type !== "optional";
  const description = NOTES.parameters[name];
  if (description === undefined) throw new RangeError(`parameter ${name} has no description`);
  // A required parameter here is an instant: text in the query, a number after parsing.
  const typeMode = required ? "input" : "output";
  return { name, in: "query", required, description, schema: schemaOf(schema, typeMode) };
}
