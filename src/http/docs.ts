/** The OpenAPI document and a page made of it, with nothing from any other host. */
import { Hono } from "hono";
import { html, raw } from "hono/html";
import * as v from "valibot";
import type { AppEnv } from "./app-env.ts";
import { wholeDocument } from "./openapi.ts";
import parts from "./openapi-parts.json";

const Parameter = v.object({
  name: v.string(),
  in: v.string(),
  description: v.optional(v.string(), ""),
});
const Operation = v.object({
  summary: v.string(),
  parameters: v.optional(v.array(Parameter), []),
  responses: v.record(v.string(), v.unknown()),
});
/** What the page shows of the document. */
const Shown = v.object({
  info: v.object({ description: v.string() }),
  paths: v.record(v.string(), v.record(v.string(), Operation)),
  components: v.object({
    examples: v.record(
      v.string(),
      v.object({ value: v.object({ status: v.number(), title: v.string(), detail: v.string() }) }),
    ),
  }),
});

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
code{font:14px ui-monospace,monospace;background:#f2f2f2;padding:.1em .3em;border-radius:3px}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #ddd}
:target{background:#fff6cc}
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}code{background:#2a2a2a}td,th{border-color:#444}:target{background:#4a4000}}`;

/** `/openapi.json` and `/docs`. */
export const docs = new Hono<AppEnv>();

docs.get("/openapi.json", (c) => c.json(wholeDocument(parts)));
docs.get("/docs", (c) => c.html(page()));

function page() {
  const { info, paths, components } = v.parse(Shown, wholeDocument(parts));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Edgeflake API</title><style>${raw(STYLE)}</style></head>
<body>
<h1>Edgeflake API</h1>
<p>${info.description} The same as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
<h2>Routes</h2>
${operations.map(
  ({
    path,
    method,
    summary,
    parameters,
    responses,
  }) => html`<h3><code>${method.toUpperCase()} ${path}</code></h3>
<p>${summary}. Answers ${Object.keys(responses).join(", ")}.</p>
${
  parameters.some(({ description }) => description !== "")
    ? html`<table>${parameters
        .filter(({ description }) => description !== "")
        .map(
          ({ name, description }) =>
            html`<tr><td><code>${name}</code></td><td>${description}</td></tr>`,
        )}</table>`
    : ""
}`,
)}
<h2>Errors</h2>
<table><tr><th>code</th><th>status</th><th>meaning</th><th>what to do</th></tr>
${Object.entries(components.examples).map(
  ([code, { value }]) =>
    html`<tr id="${code}"><td><code>${code}</code></td><td>${value.status}</td><td>${value.title}</td><td>${value.detail}</td></tr>`,
)}
</table>
</body>
</html>`;
}
