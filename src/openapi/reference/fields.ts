/** Parameters, fields of bodies and headers as lists of rows. */
import { html } from "hono/html";
import { type Document, type JsonSchema, nameOf, type Parameter, resolved } from "./document.ts";
import { allowedIn, boundsOf, typeText } from "./type-text.ts";

/** Rendered HTML. */
export type Html = ReturnType<typeof html>;

/** Requests mark what is required, responses what is optional. */
type Side = "request" | "response";

/** Nested lists that are longer are closed at first. */
const OPEN_ROWS_MAX = 6;

interface Row {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly description?: string | undefined;
  /** A word about its presence: `required`, `optional` or none. */
  readonly presence: string;
  /** `path`, `query` or `header`, for parameters. */
  readonly place?: string;
}

/** One shape of an object: unions have several. */
interface Shape {
  readonly title: string;
  readonly rows: readonly Row[];
  /** True if the page shows the object elsewhere. */
  readonly isShared?: boolean;
}

/** Renders fields. Objects in `shared` have their own place on the page, and are links here. */
export class Fields {
  readonly #schemas: Document["components"]["schemas"];
  readonly #shared: readonly string[];

  constructor({ components }: Document, shared: readonly string[]) {
    this.#schemas = components.schemas;
    this.#shared = shared;
  }

  parameters(parameters: readonly Parameter[]): Html {
    const rows = parameters.map(({ in: place, required, ...rest }) => {
      return { ...rest, place, presence: required ? "required" : "" };
    });
    return this.#list(rows, "request");
  }

  headers(headers: Readonly<Record<string, { description?: string; schema: JsonSchema }>>): Html {
    const rows = Object.entries(headers).map(([name, header]) => {
      return { name, presence: "", place: "header", ...header };
    });
    return this.#list(rows, "response");
  }

  /** The fields of a body, with those of nested objects. */
  body(schema: JsonSchema, side: Side): Html {
    return this.#shapesHtml(this.#shapesOf(schema, side), side);
  }

  /** The fields of an object that is shared. */
  object(name: string): Html {
    const schema = resolved(this.#schemas, name);
    return this.#shapesHtml(this.#shapesOf(schema, "response"), "response");
  }

  /** True if the body is nothing but shared objects. */
  isShared(schema: JsonSchema): boolean {
    return this.#shapesOf(schema, "response").every(({ isShared }) => isShared);
  }

  #shapesOf(schema: JsonSchema, side: Side, title = ""): Shape[] {
    if (schema.$ref !== undefined) {
      const name = nameOf(schema.$ref);
      if (this.#shared.includes(name)) return [{ title: name, rows: [], isShared: true }];
      return this.#shapesOf(resolved(this.#schemas, name), side, name);
    }
    const parts = schema.anyOf ?? schema.oneOf;
    if (parts) return parts.flatMap((part) => this.#shapesOf(part, side));
    if (schema.items) return this.#shapesOf(schema.items, side, title);
    if (!schema.properties) return [];
    const { required = [], properties } = schema;
    const rows = Object.entries(properties).map(([name, property]) => {
      const isRequired = required.includes(name);
      const word = side === "request" ? "required" : "optional";
      const presence = isRequired === (side === "request") ? word : "";
      return { name, schema: property, description: descriptionOf(property), presence };
    });
    const kind = properties.kind?.const;
    return [{ title: kind === undefined ? title : `kind: ${kind}`, rows }];
  }

  #shapesHtml(shapes: readonly Shape[], side: Side): Html {
    const [own, shared] = [false, true].map((is) =>
      shapes.filter(({ isShared = false }) => isShared === is),
    );
    const links = shared?.map(({ title }, index) => {
      return html`${index === 0 ? "" : " or "}<a href="#${title}">${title}</a>`;
    });
    const lists = own?.map(
      ({ title, rows }) =>
        html`${title === "" || shapes.length === 1 ? "" : html`<p class="shape">${title}</p>`}${this.#list(rows, side)}`,
    );
    return html`${shared?.length === 0 ? "" : html`<p class="shape">See ${links}</p>`}${lists}`;
  }

  #list(rows: readonly Row[], side: Side): Html {
    return html`<dl class="fields">${rows.map((row) => this.#row(row, side))}</dl>`;
  }

  #row(row: Row, side: Side): Html {
    const { name, schema, description, presence, place } = row;
    const { default: byDefault } = schema;
    const facts = [place, typeText(schema), ...boundsOf(schema)].filter(Boolean).join(" · ");
    return html`<div><dt><code>${name}</code> <span>${facts}${
      byDefault === undefined ? "" : html` · default <code>${byDefault}</code>`
    }</span>${presence === "" ? "" : html` <b class="${presence}">${presence}</b>`}</dt><dd>${
      description === undefined ? "" : html`<p>${description}</p>`
    }${valuesHtml(schema)}${this.#nested(row, side)}</dd></div>
`;
  }

  #nested({ name, schema }: Row, side: Side): Html | string {
    const shapes = this.#shapesOf(schema, side);
    if (shapes.length === 0) return "";
    const body = this.#shapesHtml(shapes, side);
    if (shapes.every(({ isShared }) => isShared)) return body;
    const count = shapes.reduce((sum, { rows }) => sum + rows.length, 0);
    const title = html`<summary>${count} fields of <code>${name}</code></summary>`;
    return count <= OPEN_ROWS_MAX
      ? html`<details open>${title}${body}</details>`
      : html`<details>${title}${body}</details>`;
  }
}

/** A nullable field has its description inside. */
function descriptionOf({ description, anyOf = [] }: JsonSchema): string | undefined {
  return description ?? anyOf.map((part) => part.description).find((text) => text !== undefined);
}

function valuesHtml(schema: JsonSchema): Html | string {
  const values = allowedIn(schema).map((value) => html`<code>${value}</code> `);
  if (values.length > 0) {
    return html`<p class="facts">${values.length > 1 ? "One of" : "Always"} ${values}</p>`;
  }
  if (schema.pattern === undefined) return "";
  return html`<p class="facts">Matches <code>${schema.pattern}</code></p>`;
}
