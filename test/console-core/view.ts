/** Components as HTML, and how tests read it. */
import { h, type JSX } from "preact";
import { renderToString } from "preact-render-to-string";
import { expect, vi } from "vitest";
import { App } from "../../src/console/app.tsx";

export const ORIGIN = "https://ids.example.com";

/** A component as HTML; effects do not run. */
export function htmlOf(view: JSX.Element | null): string {
  return view ? renderToString(view) : "";
}

/** The result of a hook in a component that is rendered once. */
export function hookOf<Result extends object>(hook: () => Result): Result {
  const results: Result[] = [];
  const Component = () => {
    results.push(hook());
    return null;
  };
  renderToString(h(Component, {}));
  const [result] = results;
  if (!result) throw new Error("the hook was not called");
  return result;
}

/** The page at an address, before any answer. */
export function pageAt(hash: string): string {
  vi.stubGlobal("location", { hash, origin: ORIGIN });
  return htmlOf(h(App, {}));
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** The visible text, with blocks on separate lines. */
export function wordsOf(html: string): string {
  return html
    .replace(/<(?:br|\/(?:button|caption|dt|h[12]|label|li|option|p|pre|span|t[dhr]))\/?>/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:#(\d+)|(\w+));/g, (_, code: string, name: string) =>
      code ? String.fromCodePoint(Number(code)) : (NAMED[name] ?? "?"),
    )
    .replace(/\s+/g, " ")
    .trim();
}

/** The cells of each row of its tables, by the row's heading. */
export function rowsOf(html: string): Map<string, string[]> {
  const rows = [...html.matchAll(/<tr[^>]*><th scope="row".*?<\/tr>/g)].map(([row]) => {
    const [heading = "", ...cells] = row.split(/<\/t[hd]>/).map(wordsOf);
    return [heading, cells.slice(0, -1)] as const;
  });
  return new Map(rows);
}

/** The first cell beside a heading. */
export function cellOf(html: string, heading: string): string {
  const [cell] = rowsOf(html).get(heading) ?? [];
  if (cell === undefined) throw new Error(`there is no row ${heading}`);
  return cell;
}

/** Its error messages. */
export function alertsOf(html: string): string {
  return [...html.matchAll(/<(\w+)[^>]* role="alert".*?<\/\1>/g)]
    .map(([one]) => wordsOf(one))
    .join(" ");
}

/** It has no script, no link to another site, and no text like a program's error. */
export function expectHarmless(html: string): void {
  const tags = new Set([...html.matchAll(/<([a-z]\w*)/gi)].map(([, tag]) => tag));
  for (const tag of ["script", "img", "iframe"]) expect(tags).not.toContain(tag);
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, link]) => link);
  expect(links.filter((link) => !/^(#\/|\/docs$)/.test(link ?? ""))).toEqual([]);
  expect(wordsOf(html)).not.toMatch(/\bNaN\b|undefined|\[object|Invalid Date|Infinity/);
}
