/** The API reference as a page that loads nothing from other hosts. */
import { html } from "hono/html";
import * as v from "valibot";

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
/** The parts of the document that the page shows. */
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

/** Renders the page. Throws if the document lacks a part of it. */
export async function docsPage(document: unknown): Promise<string> {
  const { info, paths, components } = v.parse(Shown, document);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const page = await html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Edgeflake API</title><link rel="stylesheet" href="/docs.css"></head>
<body>
<main>
<h1>Edgeflake API</h1>
<p>${info.description} This page is also available as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
<h2>Routes</h2>
${operations.map(
  ({
    path,
    method,
    summary,
    parameters,
    responses,
  }) => html`<h3><code>${method.toUpperCase()} ${path}</code></h3>
<p>${summary}. Responses: ${Object.keys(responses).join(", ")}.</p>
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
</main>
</body>
</html>`;
  return page.toString();
}
