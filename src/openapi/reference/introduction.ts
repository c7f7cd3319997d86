/** The introduction of the reference: what holds for all operations. */
import { html } from "hono/html";
import { codeHtml, ORIGIN } from "./calls.ts";
import type { Document, Entry } from "./document.ts";
import type { Html } from "./fields.ts";
import { jsonText } from "./json-text.ts";
import { scopeOf } from "./operation.ts";

interface Topic {
  readonly id: string;
  readonly title: string;
  readonly text: Html;
  readonly sample: Html;
}

/** A chapter on each thing that holds for all operations. */
export function topicsOf(document: Document, entries: readonly Entry[]): readonly Topic[] {
  return [
    {
      id: "base-url",
      title: "Base URL",
      text: html`<p>All paths are on the host that serves this page. Every response in JSON is UTF-8. This reference is also a document for programs: <a href="/openapi.json">OpenAPI 3.1</a>.</p>`,
      sample: codeHtml("curl", `curl "${ORIGIN}/healthz"`),
    },
    authentication(document, entries),
    ids,
    errors,
    retries,
    pagination,
  ];
}

export function topicHtml({ id, title, text, sample }: Topic): Html {
  return html`<section class="topic" aria-labelledby="${id}">
<div class="columns"><div><h3 id="${id}"><a href="#${id}">${title}</a></h3>
${text}</div><div class="samples">${sample}</div></div>
</section>`;
}

/** Rights of each scope, in addition to the operations that name it. */
function authentication({ components }: Document, entries: readonly Entry[]): Topic {
  const byScope = Map.groupBy(entries, scopeOf);
  const scopes = [...byScope].filter(([scope]) => scope !== undefined);
  const rows = scopes.map(([scope, those]) => {
    const links = those.map(({ operationId, summary }, index) => {
      return html`${index === 0 ? "" : ", "}<a href="#${operationId}">${summary}</a>`;
    });
    const all = scope === "admin" ? "everything, and only it: " : "";
    return html`<div><dt><code>${scope}</code></dt><dd>${all}${links}</dd></div>`;
  });
  const schemes = Object.entries(components.securitySchemes).map(
    ([name, { type, scheme, in: place, name: field, description }]) =>
      html`<div><dt><code>${name}</code> <span>${[type, scheme, place, field].filter(Boolean).join(" · ")}</span></dt><dd><p>${description}</p></dd></div>`,
  );
  return {
    id: "authentication",
    title: "Authentication",
    text: html`<p>Send an API key, or the admin key, as a bearer token. A deployment with <code>ACCESS=open</code> needs no key.</p>
<dl class="fields">${schemes}</dl>
<p class="shape">Scopes of keys</p>
<dl class="scopes">${rows}</dl>`,
    sample: codeHtml(
      "curl",
      `curl "${ORIGIN}/v1/ids/default" \\\n  -H "authorization: Bearer $EDGEFLAKE_KEY"`,
    ),
  };
}

const ids: Topic = {
  id: "ids",
  title: "IDs are strings",
  text: html`<p>IDs have up to 63 bits. JavaScript and other languages read JSON numbers exactly only up to 2<sup>53</sup> − 1, so JSON has IDs as strings. Keep them as strings or 64-bit integers, never as floating-point numbers.</p>
<p>A layout of at most 53 bits, such as <code>js53</code>, also gives JSON numbers, with <code>encoding=number</code>.</p>`,
  sample: codeHtml("200 application/json", '{ "ids": ["250271961920323584"] }'),
};

const errors: Topic = {
  id: "problems",
  title: "Error format",
  text: html`<p>An error is a problem document (RFC 9457) with the type <code>application/problem+json</code>. Programs read <code>code</code>; <a href="#errors">the table of errors</a> says what to do for each. <code>type</code> is the link to its row. <a href="#Problem">Problem</a> lists all fields.</p>
<p><code>invalid_parameter</code> and <code>invalid_body</code> list every rejected value in <code>errors</code>, with its allowed values.</p>`,
  sample: codeHtml(
    "400 application/problem+json",
    jsonText({
      type: "/docs#invalid_parameter",
      title: "Invalid parameter",
      status: 400,
      detail: "count must be an integer from 1 to 10000 (up to 1000000 with format=text).",
      code: "invalid_parameter",
      requestId: "c91ce88a54d18f2e933bf6d242023da9",
      definite: true,
      errors: [
        {
          parameter: "count",
          detail: "must be an integer from 1 to 10000 (up to 1000000 with format=text)",
          min: 1,
          max: 10_000,
        },
      ],
    }),
  ),
};

const retries: Topic = {
  id: "retries",
  title: "Retries",
  text: html`<p>If <code>retryAfterMs</code> is there, the same request can succeed after that many milliseconds. The header <code>Retry-After</code> says the same in whole seconds.</p>
<p><code>definite: true</code>: the request was rejected before any ID was issued. <code>definite: false</code>: IDs may have been skipped. Repeating a request for IDs is safe in both cases: it never gets an ID twice.</p>
<p>If the connection fails, the same holds. Send an <code>Idempotency-Key</code> if a segment must have no gap. The client does all of this.</p>`,
  sample: codeHtml(
    "503 application/problem+json",
    jsonText({
      type: "/docs#shard_saturated",
      title: "Shard saturated",
      status: 503,
      detail: "The shard can't issue that many IDs within maxWaitMs; retry after retryAfterMs.",
      code: "shard_saturated",
      requestId: "5e7e0d8f6c2b4b0f9d1f3a7c8e2b6d40",
      definite: true,
      retryAfterMs: 12,
    }),
  ),
};

const pagination: Topic = {
  id: "pagination",
  title: "Pagination",
  text: html`<p>Lists come in pages of at most <code>limit</code> items. If a response has a <code>cursor</code>, send it with the next request. The last page has none.</p>`,
  sample: codeHtml(
    "fetch",
    `const headers = { authorization: \`Bearer \${key}\` };
const url = new URL("${ORIGIN}/v1/namespaces");
for (let hasMore = true; hasMore; ) {
  const response = await fetch(url, { headers });
  const { namespaces, cursor } = await response.json();
  console.log(namespaces);
  hasMore = cursor !== undefined;
  if (hasMore) url.searchParams.set("cursor", cursor);
}`,
  ),
};
