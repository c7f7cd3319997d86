/** What follows from the parts of the OpenAPI document: the answers of its problems' codes, and whole schemas. */
import { PROBLEM_KINDS, type ProblemCode } from "../core/problem.ts";

type Json = Readonly<Record<string, unknown>>;

/** One operation; `errors`: the codes that it may answer. */
export interface OperationParts extends Json {
  readonly responses: Json;
  readonly errors: readonly string[];
}

export interface OpenApiParts extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationParts>>>>;
  readonly components: Json;
  /** What to do, by code. */
  readonly codes: Readonly<Record<string, string>>;
  /** Headers of problems, by status. */
  readonly problemHeaders: Json;
}

/** The whole document. */
export function wholeDocument({ paths, components, codes, problemHeaders, ...rest }: OpenApiParts) {
  const shared: Record<string, unknown> = {};
  const answersOf = ({ responses, errors, ...operation }: OperationParts) => {
    const problems = problemAnswers(errors, problemHeaders, shared);
    return { ...operation, responses: { ...responses, ...problems } };
  };
  const whole = mapValues(paths, (methods) => mapValues(methods, answersOf));
  const examples = mapValues(codes, (detail, code) => exampleOf(code, detail));
  const { schemas, ...others } = components;
  return {
    ...rest,
    paths: whole,
    components: { ...others, schemas: wholeSchema(schemas), responses: shared, examples },
  };
}

/** `{ fields, optional }`, anywhere in a schema, is an object of those fields, all required but the optional ones. */
function wholeSchema(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(wholeSchema);
  if (typeof part !== "object" || part === null) return part;
  const { fields, optional, ...rest }: Record<string, unknown> = { ...part };
  if (typeof fields !== "object" || fields === null)
    return mapValues({ ...part }, (value) => wholeSchema(value));
  const properties = mapValues({ ...fields }, (value) => wholeSchema(value));
  const left = Array.isArray(optional) ? optional : [];
  const required = Object.keys(properties).filter((name) => !left.includes(name));
  return { ...rest, type: "object", properties, required, additionalProperties: false };
}

/** One response per status, with an example per code; the responses themselves go into `shared`. */
function problemAnswers(
  errors: readonly string[],
  problemHeaders: Json,
  shared: Record<string, unknown>,
): Json {
  const byStatus = Map.groupBy(errors, (code) => `${kindOf(code).status}`);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const name = [status, ...codes].join("-");
      const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
      const schema = { $ref: "#/components/schemas/Problem" };
      const problem = { schema, examples: Object.fromEntries(examples) };
      const headers = problemHeaders[status];
      shared[name] ??= {
        description: codes.map((code) => `\`${code}\``).join(", "),
        ...(headers !== undefined && { headers }),
        content: { "application/problem+json": problem },
      };
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function exampleOf(code: string, detail: string) {
  const { status, title } = kindOf(code);
  const value = { type: `/docs#${code}`, title, status, detail, code };
  return {
    summary: title,
    value: { ...value, requestId: "…", definite: code !== "shard_unavailable" },
  };
}

function kindOf(code: string) {
  if (!isProblemCode(code)) throw new RangeError(`the document has a code that is none: ${code}`);
  return PROBLEM_KINDS[code];
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEM_KINDS, code);
}

function mapValues<Value, Mapped>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value, key: string) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value, key)]));
}
