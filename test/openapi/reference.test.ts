/** The reference has all of the API document, and the document's examples are true to its schemas. */
import { Validator } from "@cfworker/json-schema";
import { transformSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../src/openapi/document.ts";
import {
  entriesOf,
  examplesOf,
  type JsonSchema,
  nameOf,
  readDocument,
} from "../../src/openapi/reference/document.ts";
import { docsPage } from "../../src/openapi/reference/page.ts";

const PROBLEM_TYPE = "application/problem+json";

const json: unknown = JSON.parse(JSON.stringify(openApiDocument()));
const document = readDocument(json);
const { components } = document;
const entries = entriesOf(document);
const page = await docsPage(json);

/** The sections of the page by the id of their heading. */
const sections = new Map(
  page
    .split(/(?=<section class="(?:operation|topic)")/)
    .map((part) => [/aria-labelledby="(\w+)"/.exec(part)?.[1] ?? "", part]),
);
const sectionOf = (id: string): string => sections.get(id) ?? "";

/** An operation's section, with those of the objects that it links to. */
function withObjects(id: string, seen = new Set<string>()): string {
  if (seen.has(id)) return "";
  seen.add(id);
  const links = [...sectionOf(id).matchAll(/href="#([A-Z]\w+)"/g)].map(([, name = ""]) => name);
  return [sectionOf(id), ...links.map((name) => withObjects(name, seen))].join("");
}

/** All fields of a schema, at any depth. */
function fieldsIn(schema: JsonSchema): [name: string, field: JsonSchema][] {
  const { $ref, anyOf = [], oneOf = [], items, properties = {} } = schema;
  const named = $ref === undefined ? undefined : components.schemas[nameOf($ref)];
  const parts = [...anyOf, ...oneOf, ...(items ? [items] : []), ...(named ? [named] : [])];
  const own = Object.entries(properties);
  return [...own, ...[...parts, ...own.map(([, field]) => field)].flatMap(fieldsIn)];
}

/** The HTML of a text. */
function html(text: unknown): string {
  const quoted = `${text}`
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
  return quoted.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A field's row: its name, description, allowed values, bounds and default. */
function partsOf(name: string, field: JsonSchema): string[] {
  const { description = "", minimum, maximum, minLength, maxLength } = field;
  const bounds = [minimum, maximum, minLength, maxLength].flatMap((bound) => bound ?? []);
  return [
    `<code>${name}</code>`,
    html(description),
    ...(field.enum ?? []).map((value) => `<code>${value}</code>`),
    ...bounds.map((is) => (is === Number.MAX_SAFE_INTEGER ? "2^53 − 1" : is.toLocaleString("en"))),
    ...(field.default === undefined ? [] : [`default <code>${field.default}</code>`]),
  ];
}

function partsOfBody(schema: JsonSchema | undefined): string[] {
  return schema ? fieldsIn(schema).flatMap(([name, field]) => partsOf(name, field)) : [];
}

/** Those that a text lacks. */
function missing(text: string, parts: readonly string[]): string[] {
  return parts.filter((part) => !text.includes(part));
}

describe("the page", () => {
  it("has every operation once", () => {
    const shown = [...page.matchAll(/<p class="route">(.*?)<code>(.*?)<\/code>/g)].flatMap(
      ([, methods = "", path]) =>
        [...methods.matchAll(/>(\w+)</g)].map(([, method]) => `${method} ${path}`),
    );
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(shown.toSorted()).toEqual(documented.toSorted());
    expect(page.match(/<section class="operation"/g)).toHaveLength(entries.length);
    expect(entries.length).toBeGreaterThan(25);
  });

  it.each(entries)("$summary: parameters, body, responses and errors", (entry) => {
    const { operationId, description, parameters, requestBody, responses } = entry;
    const own = sectionOf(operationId);
    const wanted = [html(description), ...Object.keys(responses)];
    for (const { name, in: place, required, schema, ...rest } of parameters) {
      wanted.push(...partsOf(name, { ...schema, description: rest.description }));
      const [row = ""] =
        own.split(`<code>${name}</code> <span>${place} · `)[1]?.split("</dt>") ?? [];
      expect(row.includes('<b class="required">')).toBe(required);
    }
    for (const { schema } of Object.values(requestBody?.content ?? {})) {
      wanted.push(...partsOfBody(schema));
    }
    const bodies: string[] = [];
    for (const { content, headers } of Object.values(responses)) {
      const { [PROBLEM_TYPE]: problem, ...others } = content;
      wanted.push(...Object.keys(problem?.examples ?? {}).map((code) => `href="#${code}"`));
      if (!problem) wanted.push(...Object.keys(headers).map((name) => `<code>${name}</code>`));
      wanted.push(...Object.keys(others));
      bodies.push(...Object.values(others).flatMap(({ schema }) => partsOfBody(schema)));
    }
    expect(missing(own, wanted)).toEqual([]);
    expect(missing(withObjects(operationId), bodies)).toEqual([]);
  });

  it("has every error code with its status and what to do, as the target of its type", () => {
    for (const { value } of Object.values(components.examples)) {
      expect(value.type).toBe(`/docs#${value.code}`);
      expect(page.split(`id="${value.code}"`)).toHaveLength(2);
      const [row = ""] = page.split(`<tr id="${value.code}">`)[1]?.split("</tr>") ?? [];
      expect(missing(row, [value.status, value.title, value.detail].map(html))).toEqual([]);
    }
  });

  it("has a target for each link to itself", () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(links.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it("has code that is JavaScript, and examples that are JSON", () => {
    const figures = [...page.matchAll(/<figcaption>(.*?)<\/figcaption><pre>(.*?)<\/pre>/gs)];
    const texts = figures.map(([, title = "", code = ""]) => {
      const text = code
        .replace(/<[^>]+>/g, "")
        .replaceAll("&quot;", '"')
        .replaceAll("&#39;", "'");
      return [title, text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")];
    });
    for (const [title = "", text = ""] of texts) {
      if (/^(fetch|Client)$/.test(title)) transformSync(text, { format: "esm" });
      if (title.includes("json")) JSON.parse(text);
    }
    expect(texts.length).toBeGreaterThan(2 * entries.length);
  });
});

describe("the document", () => {
  const errorsOf = (schema: JsonSchema, value: unknown): unknown => {
    const whole: Record<string, unknown> = { ...schema, components };
    return new Validator(whole, "2020-12").validate(value).errors;
  };

  it.each(entries)("$summary: the examples are as their schemas say", (entry) => {
    for (const { schema, example } of entry.parameters) {
      if (example !== undefined) expect(errorsOf(schema, example)).toEqual([]);
    }
    const answers = Object.values(entry.responses).map(({ content }) => content);
    for (const content of [entry.requestBody?.content ?? {}, ...answers]) {
      for (const [type, media] of Object.entries(content)) {
        if (!media.schema || type === PROBLEM_TYPE) continue;
        const examples = examplesOf(media);
        expect(examples.length).toBeGreaterThan(0);
        for (const [, example] of examples) expect(errorsOf(media.schema, example)).toEqual([]);
      }
    }
  });

  it("describes every field", () => {
    const bodies = entries.flatMap(({ requestBody, responses }) =>
      [requestBody?.content ?? {}, ...Object.values(responses).map(({ content }) => content)]
        .flatMap((content) => Object.values(content))
        .flatMap(({ schema }) => (schema ? fieldsIn(schema) : [])),
    );
    const bare = bodies.filter(([, { description, anyOf = [] }]) => {
      return description === undefined && anyOf.every((part) => part.description === undefined);
    });
    expect(new Set(bare.map(([name]) => name))).toEqual(new Set());
  });
});
