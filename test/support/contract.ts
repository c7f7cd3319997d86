/** Checks every response in a test against the OpenAPI document. */
import { Validator } from "@cfworker/json-schema";
import * as v from "valibot";
import document from "../../src/openapi/openapi.json";

const Media = v.object({
  schema: v.optional(v.looseObject({})),
  /** Of problems: one per code that may come with this status. */
  examples: v.optional(v.record(v.string(), v.unknown())),
});
const Answer = v.object({
  $ref: v.optional(v.string()),
  content: v.optional(v.record(v.string(), Media), {}),
});
const Shown = v.object({
  paths: v.record(
    v.string(),
    v.record(v.string(), v.object({ responses: v.record(v.string(), Answer) })),
  ),
  components: v.object({
    schemas: v.record(v.string(), v.looseObject({})),
    responses: v.record(v.string(), Answer),
  }),
});
export const DOCUMENT = v.parse(Shown, document);

const ROUTES = Object.keys(DOCUMENT.paths).map((path) => {
  return { path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`) };
});

/** Fails if the document does not have the response's status, type or shape. */
export async function checkAnswer(method: string, path: string, response: Response): Promise<void> {
  const pathname = routedPath(path);
  const route = ROUTES.find(({ pattern }) => pattern.test(pathname));
  const operation = route && DOCUMENT.paths[route.path]?.[method.toLowerCase()];
  // Unknown paths and methods are refused before any operation, always with the same problems.
  const { status } = response;
  if (!operation) {
    if (!["HEAD", "OPTIONS"].includes(method) && ![401, 403, 404, 405, 503].includes(status))
      fail(method, path, status, "no such operation");
    return;
  }
  const said = operation.responses[`${status}`];
  const answer = said?.$ref
    ? DOCUMENT.components.responses[said.$ref.split("/").at(-1) ?? ""]
    : said;
  if (!answer) return fail(method, path, status, "no such status");
  const type = response.headers.get("content-type")?.split(";")[0];
  if (type === undefined) return;
  const media = answer.content[type];
  if (!media) return fail(method, path, status, `no such type: ${type}`);
  if (!media.schema || !type.endsWith("json")) return;
  const body: unknown = await response.clone().json();
  const code = v.is(v.looseObject({ code: v.string() }), body) ? body.code : undefined;
  if (media.examples && code !== undefined && !Object.hasOwn(media.examples, code)) {
    return fail(method, path, status, `no such code: ${code}`);
  }
  const result = validatorOf(media.schema).validate(body);
  if (!result.valid) fail(method, path, status, JSON.stringify(result.errors));
}

const validators = new Map<object, Validator>();

/** The validator of a schema: made once, as making one walks the whole document. */
function validatorOf(schema: object): Validator {
  const made = validators.get(schema);
  if (made) return made;
  const validator = new Validator({ ...schema, components: DOCUMENT.components }, "2020-12");
  validators.set(schema, validator);
  return validator;
}

/** The path as the router sees it: dots resolved, plain characters decoded. */
function routedPath(path: string): string {
  const { pathname } = new URL(`https://edgeflake.test${path}`);
  try {
    return decodeURI(pathname);
  } catch {
    return pathname;
  }
}

function fail(method: string, path: string, status: number, what: string): never {
  throw new Error(`${method} ${path} ${status} is not as documented: ${what}`);
}
