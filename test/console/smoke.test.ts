/** The console in a real browser, in short; the other files here are long tests. Needs `npm run build` before. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import { button, cell, expectCell, expectNoComplaint, findings } from "./pages.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

/** The console and the reference together, gzipped, in bytes. */
const PAGES_MAX_BYTES = 80_000;

it(`console and reference are at most ${PAGES_MAX_BYTES} bytes, gzipped`, () => {
  const folder = path.join(import.meta.dirname, "../../dist/assets");
  // The document is for programs: no page loads it.
  const files = readdirSync(folder).filter((file) => file !== "openapi.json");
  const sizes = files.map((file) => gzipSync(readFileSync(path.join(folder, file))).length);
  expect(sizes.length).toBeGreaterThan(3);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(PAGES_MAX_BYTES);
});

it("the page opens with an ID, decodes one, requests one and shows the shards; axe finds nothing", async () => {
  const page = await browser.open(service.url);
  await page.locator(".live .id a").click();
  await expectCell(page, "sequence", /^\d/);
  await page.getByLabel("Namespace").fill("twitter");
  await page.getByLabel("ID", { exact: true }).fill("1541815603606036480");
  await expectCell(page, "worker", /^26\b/);
  expect(await cell(page, "time")).toContain("2022-06-28T16:07:40.105Z");
  expect(browser.asked.filter((asked) => asked.includes("decode"))).toEqual([]);

  await page.getByRole("link", { name: "Request IDs", exact: true }).click();
  await button(page, "Request IDs").click();
  const link = page.locator(".ids a");
  const id = await link.innerText();
  await link.click();
  await expectCell(page, "decimal", id);

  await page.getByRole("link", { name: "Shards" }).click();
  await page.getByRole("rowheader", { name: /^7/ }).waitFor();
  await expectCell(page, "7", /^(in step|idle)/);
  await expectNoComplaint(page);
  expect(await findings(page)).toEqual([]);
});
