/** One operation of the reference: its parameters, body and responses, with an example of each. */
import { html } from "hono/html";
import { codeHtml, curlText, scriptText } from "./calls.ts";
import { type Answer, type Entry, examplesOf, type JsonSchema } from "./document.ts";
import type { Fields, Html } from "./fields.ts";
import { jsonText } from "./json-text.ts";

const PROBLEM_TYPE = "application/problem+json";

/** The section of an operation. Its heading has the operationId as its id. */
export function operationHtml(entry: Entry, fields: Fields): Html {
  const { operationId, summary, description, methods, path, parameters, requestBody } = entry;
  const route = methods.map((method) => html`<b class="${method.toLowerCase()}">${method}</b> `);
  const answers = answersOf(entry);
  return html`<section class="operation" aria-labelledby="${operationId}">
<div class="columns"><div>
<h3 id="${operationId}"><a href="#${operationId}">${summary}</a></h3>
<p class="route">${route}<code>${path}</code></p>
<p>${description}.</p>
<p class="needs">${scopeHtml(entry)}</p>
${parameters.length > 0 ? html`<h4>Parameters</h4>${fields.parameters(parameters)}` : ""}
${requestBody ? requestHtml(requestBody, fields) : ""}
<h4>Responses</h4>
${answers.map((answer) => answerHtml(answer, fields))}
${errorsHtml(entry)}
</div><div class="samples">
${codeHtml("curl", curlText(entry))}
${scriptHtml(entry)}
${otherBodies(entry)}
${answers.map(samples)}
</div></div>
</section>
`;
}

/** A response that is no problem, with all statuses that have it. */
interface OwnAnswer extends Answer {
  readonly statuses: readonly string[];
}

function answersOf({ responses }: Entry): readonly OwnAnswer[] {
  const own = Object.entries(responses).filter(([, answer]) => !isProblem(answer));
  const alike = Map.groupBy(own, ([, { headers, content }]) => JSON.stringify([headers, content]));
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    return first ? { ...first[1], statuses: group.map(([status]) => status) } : [];
  });
}

/** The scope that a key needs, as the document's security says. */
export function scopeOf({ security }: Entry): string | undefined {
  return security.flatMap((scheme) => Object.values(scheme).flat())[0];
}

function scopeHtml(entry: Entry): Html {
  const scope = scopeOf(entry);
  if (scope === undefined) return html`Needs no key.`;
  return html`Needs the scope <a href="#authentication"><code>${scope}</code></a>.`;
}

function requestHtml(
  { required, content }: NonNullable<Entry["requestBody"]>,
  fields: Fields,
): Html {
  const types = Object.keys(content).map((type) => html`<code>${type}</code> `);
  const { schema } = Object.values(content)[0] ?? {};
  return html`<h4>Request body</h4>
<p class="types">${types} ${required ? "" : "optional"}</p>${schema?.description === undefined ? "" : html`<p>${schema.description}.</p>`}
${schema ? fields.body(schema, "request") : ""}`;
}

function answerHtml({ statuses, description, headers, content }: OwnAnswer, fields: Fields): Html {
  const types = Object.keys(content).map((type) => html`<code>${type}</code> `);
  const [schema] = Object.values(content).flatMap((media) => media.schema ?? []);
  const hasHeaders = Object.keys(headers).length > 0;
  return html`<p class="status"><b>${statuses.join(" or ")}</b> ${statuses.length > 1 ? "" : description} <span class="types">${types}</span></p>
${hasHeaders ? fields.headers(headers) : ""}${schema ? bodyHtml(schema, fields) : ""}`;
}

function bodyHtml(schema: JsonSchema, fields: Fields): Html {
  const body = fields.body(schema, "response");
  if (fields.isShared(schema)) return body;
  return html`<details class="answer" open><summary>Fields</summary>${body}</details>`;
}

function scriptHtml(entry: Entry): Html {
  const { title, text } = scriptText(entry);
  return codeHtml(title, text);
}

/** Bodies of other kinds than that of the call above. */
function otherBodies({ requestBody }: Entry): readonly Html[] {
  const [media] = Object.values(requestBody?.content ?? {});
  const others = media ? examplesOf(media).slice(1) : [];
  return others.map(([name, body]) => codeHtml(`Request body · ${name}`, jsonText(body)));
}

function samples({ statuses, content }: OwnAnswer): readonly Html[] {
  return Object.entries(content).flatMap(([type, media]) =>
    examplesOf(media).map(([name, example]) => {
      const text = typeof example === "string" ? example : jsonText(example);
      const title = `${statuses.join(" or ")} ${type}`;
      return codeHtml(name === "" ? title : `${title} · ${name}`, text);
    }),
  );
}

/** The codes of each status, linked to the table of errors. */
function errorsHtml({ responses }: Entry): Html | string {
  const problems = Object.entries(responses).filter(([, answer]) => isProblem(answer));
  if (problems.length === 0) return "";
  const rows = problems.map(([status, { content }]) => {
    const codes = Object.keys(content[PROBLEM_TYPE]?.examples ?? {});
    return html`<li>${status} ${codes.map((code) => html`<a href="#${code}">${code}</a> `)}</li>
`;
  });
  return html`<h4>Errors</h4>
<ul class="codes">${rows}</ul>`;
}

function isProblem({ content }: Answer): boolean {
  return PROBLEM_TYPE in content;
}
