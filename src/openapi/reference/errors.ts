/** The table of error codes, of problems. */
import { html } from "hono/html";
import type { Document } from "./document.ts";
import type { Html } from "./fields.ts";

/** Each row has the code as its id: a problem's type is `/docs#{code}`. */
export function errorsHtml({ components }: Document): Html {
  const problems = Object.values(components.examples)
    .map(({ value }) => value)
    .toSorted((one, other) => one.status - other.status || one.code.localeCompare(other.code));
  const rows = problems.map(
    ({ code, status, title, detail }) => html`<tr id="${code}">
<th scope="row"><a href="#${code}"><code>${code}</code></a></th><td>${status}</td><td>${title}</td><td>${detail}</td></tr>`,
  );
  return html`<section class="errors" aria-labelledby="errors">
<h2 id="errors"><a href="#errors">Errors</a></h2>
<table aria-labelledby="errors"><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th><th scope="col">What to do</th></tr></thead>
<tbody>${rows}</tbody></table>
</section>`;
}
