/** The parts of the OpenAPI document that the reference shows. */
import * as v from "valibot";

/** As much of JSON Schema as the document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
}

const text = v.exactOptional(v.string());
const number = v.exactOptional(v.number());
const schemas = v.exactOptional(v.array(v.lazy(() => JsonSchema)));

// Strict: a keyword that the page would not show is an error of the build.
const JsonSchema: v.GenericSchema<unknown, JsonSchema> = v.strictObject({
  $ref: text,
  type: v.exactOptional(v.union([v.string(), v.array(v.string())])),
  description: text,
  properties: v.exactOptional(
    v.record(
      v.string(),
      v.lazy(() => JsonSchema),
    ),
  ),
  required: v.exactOptional(v.array(v.string())),
  additionalProperties: v.exactOptional(v.union([v.boolean(), v.lazy(() => JsonSchema)])),
  items: v.exactOptional(v.lazy(() => JsonSchema)),
  anyOf: schemas,
  oneOf: schemas,
  enum: v.exactOptional(v.array(v.unknown())),
  const: v.exactOptional(v.unknown()),
  default: v.exactOptional(v.unknown()),
  minimum: number,
  maximum: number,
  minLength: number,
  maxLength: number,
  minItems: number,
  maxItems: number,
  pattern: text,
  format: text,
});

const Parameter = v.object({
  name: v.string(),
  in: v.picklist(["path", "query", "header"]),
  required: v.boolean(),
  description: v.string(),
  schema: JsonSchema,
  example: v.optional(v.unknown()),
});
export type Parameter = v.InferOutput<typeof Parameter>;

const Media = v.object({
  schema: v.optional(JsonSchema),
  example: v.optional(v.unknown()),
  /** Several by name; those of problems are references. */
  examples: v.optional(v.record(v.string(), v.object({ value: v.optional(v.unknown()) })), {}),
});
type Media = v.InferOutput<typeof Media>;
const Content = v.record(v.string(), Media);
export type Content = v.InferOutput<typeof Content>;

const Headers = v.record(v.string(), v.object({ description: text, schema: JsonSchema }));
const Answer = v.object({
  description: v.string(),
  headers: v.optional(Headers, {}),
  content: v.optional(Content, {}),
});
export type Answer = v.InferOutput<typeof Answer>;

const Operation = v.object({
  operationId: v.string(),
  tags: v.tuple([v.string()]),
  summary: v.string(),
  description: v.string(),
  security: v.array(v.record(v.string(), v.array(v.string()))),
  parameters: v.optional(v.array(Parameter), []),
  requestBody: v.optional(v.object({ required: v.boolean(), content: Content })),
  responses: v.record(v.string(), v.union([v.object({ $ref: v.string() }), Answer])),
});
type Operation = v.InferOutput<typeof Operation>;

const Problem = v.object({
  type: v.string(),
  title: v.string(),
  status: v.number(),
  detail: v.string(),
  code: v.string(),
});

const SecurityScheme = v.object({
  type: v.string(),
  description: v.string(),
  scheme: text,
  in: text,
  name: text,
});

const Document = v.object({
  info: v.object({ title: v.string(), summary: v.string(), description: v.string() }),
  tags: v.array(v.object({ name: v.string(), description: v.string() })),
  paths: v.record(v.string(), v.record(v.string(), Operation)),
  components: v.object({
    securitySchemes: v.record(v.string(), SecurityScheme),
    schemas: v.record(v.string(), JsonSchema),
    responses: v.record(v.string(), Answer),
    examples: v.record(v.string(), v.object({ value: Problem })),
  }),
});
export type Document = v.InferOutput<typeof Document>;

/** An operation, or several of one path that differ only in their method. */
export interface Entry extends Omit<Operation, "responses"> {
  readonly path: string;
  /** In upper case. */
  readonly methods: readonly string[];
  readonly responses: Readonly<Record<string, Answer>>;
}

/** The examples of a body, each with a title that tells it from the others. */
export function examplesOf({ example, examples }: Media): readonly (readonly [string, unknown])[] {
  if (example !== undefined) return [["", example]];
  return Object.entries(examples).map(([name, { value }]) => [name, value] as const);
}

/** Reads the document. Throws if it lacks a part of the page. */
export function readDocument(document: unknown): Document {
  return v.parse(Document, document);
}

/** Every operation once: those of one path that are alike, such as GET and POST, are one entry. */
export function entriesOf({ paths, components }: Document): readonly Entry[] {
  return Object.entries(paths).flatMap(([path, operations]) => {
    const alike = Map.groupBy(Object.entries(operations), ([, operation]) =>
      JSON.stringify({ ...operation, operationId: "" }),
    );
    return [...alike.values()].flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const methods = group.map(([method]) => method.toUpperCase());
      const responses = Object.entries(first[1].responses).map(([status, answer]) => {
        return [status, "$ref" in answer ? resolved(components.responses, answer.$ref) : answer];
      });
      return { ...first[1], path, methods, responses: Object.fromEntries(responses) };
    });
  });
}

/** The part of the document that a reference names, e.g. `#/components/schemas/Ids`. */
export function resolved<Part>(parts: Readonly<Record<string, Part>>, reference: string): Part {
  const part = parts[nameOf(reference)];
  if (part === undefined) throw new RangeError(`the document has no ${reference}`);
  return part;
}

export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
