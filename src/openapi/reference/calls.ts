/** One call of each operation, as a curl line and as a line of JavaScript. */
import { html } from "hono/html";
import { type Entry, examplesOf } from "./document.ts";
import type { Html } from "./fields.ts";
import { jsonText } from "./json-text.ts";

/** Stands for the service's own address; the page's script puts it there. */
export const ORIGIN = "https://ids.example.com";

// Apart from the word import: these lines are no imports of this file.
const CLIENT = '"edgeflake/client"';
const MINTER = '"edgeflake/minter"';

/** Lines of the client and the minter, for the operations that they cover. */
const CLIENT_LINES: Readonly<Record<string, string>> = {
  getIds: `import { Edgeflake } from ${CLIENT};

const url = "${ORIGIN}";
const ids = new Edgeflake({ url, key, namespace: "orders" });
const id = await ids.next();
const three = await ids.take(3);`,
  getBlocks: `import { Edgeflake } from ${CLIENT};

// The client requests blocks ahead of demand.
const url = "${ORIGIN}";
const ids = new Edgeflake({ url, key, namespace: "orders" });
const id = ids.nextNow() ?? (await ids.next());`,
  decodeId: `import { Edgeflake } from ${CLIENT};

const url = "${ORIGIN}";
const ids = new Edgeflake({ url, key, namespace: "orders" });
const { time, shard } = await ids.decode("250271963954561024");`,
  acquireLease: `import { Minter } from ${MINTER};

// Acquires, renews and releases the lease.
const url = "${ORIGIN}";
const options = { url, key, namespace: "orders", holder: "pod-7" };
const ids = await Minter.open(options);
const id = ids.next();
await ids.close();`,
};

/** A call, taken from the examples of the document. */
interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: unknown;
  readonly needsKey: boolean;
}

export function curlText(entry: Entry): string {
  const { method, url, headers, body, needsKey } = callOf(entry);
  return [
    `curl "${url}"`,
    ...(method === "GET" ? [] : [`-X ${method}`]),
    ...(needsKey ? ['-H "authorization: Bearer $EDGEFLAKE_KEY"'] : []),
    ...headers.map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d '${jsonText(body, "  ")}'`]),
  ].join(" \\\n  ");
}

/** The client's line, or the same call with `fetch`. */
export function scriptText(entry: Entry): { readonly title: string; readonly text: string } {
  const line = CLIENT_LINES[entry.operationId];
  if (line !== undefined) return { title: "Client", text: line };
  const { method, url, headers, body, needsKey } = callOf(entry);
  const sent = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the template is in the line that is shown.
    ...(needsKey ? ["    authorization: `Bearer ${key}`,"] : []),
    ...headers.map(([name, value]) => `    "${name}": "${value}",`),
  ];
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    ...(sent.length > 0 ? ["  headers: {", ...sent, "  },"] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${jsonText(body, "  ")}),`]),
  ];
  const argument = options.length > 0 ? `, {\n${options.join("\n")}\n}` : "";
  return { title: "fetch", text: `await fetch("${url}"${argument});` };
}

/** A block of code, with the service's address marked for the page's script. */
export function codeHtml(title: string, text: string): Html {
  const parts = text.split(ORIGIN).map((part, index) => {
    return index === 0 ? part : html`<span class="origin">${ORIGIN}</span>${part}`;
  });
  return html`<figure><figcaption>${title}</figcaption><pre><code>${parts}</code></pre></figure>`;
}

function callOf({ path, methods, parameters, requestBody, security }: Entry): Call {
  const given = (place: string): (readonly [string, string])[] =>
    parameters
      .filter(({ in: where, example }) => where === place && example !== undefined)
      .map(({ name, example }) => [name, String(example)]);
  const inPath = new Map(given("path"));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => inPath.get(name) ?? `{${name}}`);
  const query = new URLSearchParams(Object.fromEntries(given("query")));
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  return {
    method: methods[0] ?? "GET",
    url: `${ORIGIN}${filled}${query.size > 0 ? `?${query}` : ""}`,
    headers: [...given("header"), ...(type === undefined ? [] : [["content-type", type] as const])],
    body: media && examplesOf(media)[0]?.[1],
    needsKey: security.length > 0,
  };
}
