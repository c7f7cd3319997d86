/**
 * Generates the OpenAPI 3.1 document from the schemas that validate the requests.
 * The result is committed as openapi.json in this folder, and served as a static asset.
 */
import type * as v from "valibot";
import { mapFields } from "../core/layout/fields.ts";
import { JSON_TYPES } from "../http/parse/body.ts";
import { ANSWERS, type Example, parameterExamples, VARIANTS } from "./examples.ts";
import type { Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { codesOf, problemAnswers, problemExample } from "./problems.ts";
import { SCHEMAS } from "./schemas.ts";
import { ref, type Schema, type Schemas, schemaOf } from "./shapes.ts";
import { NOTES } from "./texts.ts";
import { titleOf } from "./titles.ts";
import { allWorded, worded } from "./words.ts";

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
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: NOTES.bearer },
        token: { type: "apiKey", in: "query", name: "token", description: NOTES.token },
      },
      schemas: allWorded(SCHEMAS),
      responses,
      examples: mapFields(NOTES.codes, problemExample),
    },
  };
}

function operationOf(path: string, operation: Operation, shared: Record<string, Schema>): Schema {
  const { id, tag, description, query = {}, headers = [], open = false } = operation;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const examples = parameterExamples(id);
  const parameters = [
    ...names.map((name) => ({ name, in: "path", required: true, ...NOTES.pathParameters[name] })),
    ...Object.entries(query).map(([name, schema]) => queryParameter(name, schema)),
    ...headers,
  ].map((parameter) => withExample(parameter, examples[`${parameter.name}`]));
  return {
    operationId: id,
    tags: [tag],
    summary: titleOf(id),
    description,
    security: securityOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(operation),
    responses: {
      ...mapFields(operation.answers, (answer, status) => answerOf(`${status}`, answer)),
      ...problemAnswers(codesOf(operation.errors, open), shared),
    },
  };
}

/** The keys that open a route. With ACCESS=open it needs none. */
function securityOf({ scope, query = {} }: Operation): readonly Schema[] {
  if (scope === undefined) return [];
  return [{ bearer: [scope] }, ...("token" in query ? [{ token: [scope] }] : []), {}];
}

function withExample(parameter: Schema, example: Example): Schema {
  return example === undefined ? parameter : { ...parameter, example };
}

function bodyOf(operation: Operation): Schema {
  const { id, body, isBodyOptional = false, bodyTypes = JSON_TYPES } = operation;
  if (!body) return {};
  const schema = worded(schemaOf(body, "input"), id);
  const media = mediaOf(schema, operation.bodyExample, operation.bodyVariants);
  const content = Object.fromEntries(bodyTypes.map((type) => [type, media]));
  return { requestBody: { required: !isBodyOptional, content } };
}

function mediaOf(schema: Schema, example: Example, variants?: Schemas): Schema {
  if (!variants) return { schema, example };
  return { schema, examples: mapFields(variants, (value) => ({ value })) };
}

const REASONS: Readonly<Record<string, string>> = {
  200: "OK",
  201: "Created",
  204: "No content",
  400: "Bad request",
  500: "Internal server error",
};

function answerOf(
  status: string,
  { schema, also, alsoExample, headers }: Operation["answers"][string],
): Schema {
  const json = schema && {
    "application/json": mediaOf(ref(schema), ANSWERS[schema], VARIANTS[schema]),
  };
  const other = also && { [also]: withExample({}, alsoExample) };
  return {
    description: REASONS[status],
    ...(headers && { headers }),
    ...((json || other) && { content: { ...json, ...other } }),
  };
}

function queryParameter(name: string, schema: v.GenericSchema): Schema {
  const required = schema.type !== "optional";
  const description = NOTES.parameters[name];
  if (description === undefined) throw new RangeError(`parameter ${name} has no description`);
  // A required parameter here is an instant: text in the query, a number after parsing.
  const shape = schemaOf(schema, required ? "input" : "output");
  const value = name === "limit" ? shape.maximum : NOTES.parameterDefaults[name];
  const withDefault = value === undefined ? shape : { ...shape, default: value };
  return { name, in: "query", required, description, schema: withDefault };
}
