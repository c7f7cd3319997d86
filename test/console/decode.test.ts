/** Decode, Range and Get, as people read them off the page. Needs `npm run build` before. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { ENCODINGS, encode } from "../../src/core/codec.ts";
import { PRESETS } from "../../src/core/presets.ts";
import { VECTORS } from "../core/vectors.ts";
import { TestBrowser } from "./browser.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

/** The text beside a row's heading. */
function row(page: Page, heading: string) {
  return page
    .locator("tr")
    .filter({ has: page.getByRole("rowheader", { name: heading }) })
    .first();
}

async function cell(page: Page, heading: string): Promise<string> {
  const text = await row(page, heading).locator("td").first().innerText();
  return text.trim();
}

const OF_PRESETS = VECTORS.flatMap((vector) => {
  const [name] = [...PRESETS].find(([, { layout }]) => layout === vector.layout) ?? [];
  return name === undefined ? [] : [{ ...vector, name }];
});

describe("Decode", () => {
  it.each(OF_PRESETS)("the golden vector $title, with no request", async (vector) => {
    const { name, id, unixMs, parts } = vector;
    const page = await browser.open(`${service.url}/#/decode/${name}/${id}`);
    expect(await cell(page, "time")).toContain(`${new Date(unixMs).toISOString()} UTC`);
    expect(await cell(page, "unix ms")).toBe(`${unixMs}`);
    expect(await cell(page, "shard")).toMatch(new RegExp(`^${parts.shard}\\b`));
    for (const [field, value] of Object.entries(parts)) {
      expect(await cell(page, field)).toMatch(new RegExp(`^${value}\\b`));
    }
    for (const encoding of ENCODINGS) {
      expect(await cell(page, encoding)).toBe(encode(id, encoding));
    }
    expect(browser.paths.filter((path) => path.startsWith("/v1/"))).toEqual([]);
  });
});
