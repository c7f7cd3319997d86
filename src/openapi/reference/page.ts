/** The API reference as a page that loads nothing from other hosts, and is complete without its script. */
import { html } from "hono/html";
import { SECTIONS } from "../../assets/sections.ts";
import { type Document, entriesOf, readDocument } from "./document.ts";
import { errorsHtml } from "./errors.ts";
import { Fields, type Html } from "./fields.ts";
import { topicHtml, topicsOf } from "./introduction.ts";
import { sharedNames } from "./objects.ts";
import { operationHtml } from "./operation.ts";

/** A group of the contents. */
interface Group {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly items: readonly { readonly id: string; readonly title: string; readonly body: Html }[];
}

/** Renders the page. Throws if the document lacks a part of it. */
export async function docsPage(document: unknown): Promise<string> {
  const shown = readDocument(document);
  const groups = groupsOf(shown);
  const page = await html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>API reference · Edgeflake</title><link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/docs.css"><script type="module" src="/docs.js"></script></head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${headerHtml()}
<div class="page">
<aside>
<search hidden><label class="unseen" for="search">Search operations, parameters and errors</label><input id="search" type="search" placeholder="Search ( / )" autocomplete="off" spellcheck="false" aria-describedby="found"><p id="found" class="unseen" role="status"></p></search>
<details class="contents"><summary>Contents</summary>${contentsHtml(groups)}</details>
<div class="contents">${contentsHtml(groups)}</div>
</aside>
<main id="content" tabindex="-1">
<h1>API reference</h1>
<p>${shown.info.summary}. ${shown.info.description}</p>
<p id="nothing" hidden>Nothing found. Search looks at titles, paths, parameters, fields and error codes.</p>
${groups.map(groupHtml)}
${errorsHtml(shown)}
</main>
</div>
</body>
</html>
`;
  return page.toString();
}

function groupsOf(document: Document): readonly Group[] {
  const entries = entriesOf(document);
  const shared = sharedNames(document, entries);
  const fields = new Fields(document, shared);
  const topics = topicsOf(document, entries).map((topic) => ({ ...topic, body: topicHtml(topic) }));
  const tags = document.tags.map(({ name, description }) => {
    const own = entries.filter(({ tags: [tag] }) => tag === name);
    const items = own.map((entry) => {
      const { operationId: id, summary: title } = entry;
      return { id, title, body: operationHtml(entry, fields) };
    });
    return { id: name.toLowerCase(), title: name, description, items };
  });
  const objects = shared.map((name) => ({
    id: name,
    title: name,
    body: html`<section class="topic" aria-labelledby="${name}">
<h3 id="${name}"><a href="#${name}">${name}</a></h3>
${fields.object(name)}
</section>`,
  }));
  return [
    { id: "introduction", title: "Introduction", description: "", items: topics },
    ...tags,
    {
      id: "objects",
      title: "Objects",
      description: "Objects that several responses have",
      items: objects,
    },
  ];
}

/** The header of the console. */
function headerHtml(): Html {
  const links = SECTIONS.map(({ href, title }) => html`<a href="${href}">${title}</a>\n`);
  return html`<header><a class="brand" href="/">Edgeflake</a>
<nav aria-label="Sections">${links}<a href="/docs" aria-current="page">API</a></nav></header>`;
}

function contentsHtml(groups: readonly Group[]): Html {
  const lists = groups.map(
    ({ id, title, items }) =>
      html`<li><a href="#${id}">${title}</a><ul>${items.map(
        (item) => html`<li><a href="#${item.id}">${item.title}</a></li>`,
      )}</ul></li>`,
  );
  return html`<nav aria-label="Contents"><ul>${lists}<li><a href="#errors">Errors</a></li></ul></nav>`;
}

function groupHtml({ id, title, description, items }: Group): Html {
  return html`<section class="group" aria-labelledby="${id}">
<h2 id="${id}"><a href="#${id}">${title}</a></h2>
${description === "" ? "" : html`<p>${description}.</p>`}
${items.map(({ body }) => body)}
</section>`;
}
