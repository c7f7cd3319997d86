/**
 * Each section for all readers: axe-core, narrow windows, large text. Needs `npm run build` before.
 * @module-tag long
 */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import {
  button,
  complains,
  expectCount,
  expectPlainWords,
  fill,
  findings,
  overflow,
  SECTIONS,
} from "./pages.ts";
import { ADMIN_KEY, TestService } from "./service.ts";

const service = TestService.ofFile("open");
/** Open access makes no keys. */
const closed = TestService.ofFile("keys");
const browser = TestBrowser.ofFile();
beforeAll(() => fill(service));

/** Runs axe-core in light, in dark and in a narrow window. Of its rules, those of colours differ in the dark. */
async function expectAccessible(page: Page): Promise<void> {
  for (const [colorScheme, width, ...tags] of [
    ["light", 1200],
    ["dark", 1200, "cat.color"],
    ["light", 390],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    const found = await findings(page, ...tags);
    expect({ colorScheme, width, found }).toEqual({ colorScheme, width, found: [] });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  }
}

describe("axe finds nothing, in light, in dark and at 390 px; large text does not overflow", () => {
  it.each(SECTIONS)("$title", async ({ title, address, sign, ...more }) => {
    const page = await browser.open(`${service.url}/${address}`);
    await page.locator("main").getByText(sign).first().waitFor();
    expect(await page.title()).toBe(`${title} · Edgeflake`);
    expect(await page.locator('nav [aria-current="page"]').innerText()).toBe(
      "entry" in more ? more.entry : title,
    );
    await expectCount(page.locator("table:not(:has(caption), [aria-label])"), 0);
    await expectCount(page.locator("pre:not([aria-label])"), 0);
    await expectPlainWords(page);
    await expectAccessible(page);
    await page.setViewportSize({ width: 375, height: 900 });
    const size = await page.evaluate(() => {
      // As the browser's own setting does it.
      document.documentElement.style.fontSize = "200%";
      return getComputedStyle(document.body).fontSize;
    });
    expect(size).toBe("32px");
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  });

  it("error messages", async () => {
    const page = await browser.open(`${service.url}/#/decode/twitter/-1`);
    await complains(page, /Not an ID/);
    await expectAccessible(page);
    await page.goto(`${service.url}/#/design?tick=1`);
    await page.getByLabel(/^Timestamp bits/).fill("53");
    await page.getByLabel(/^Lane bits/).fill("4");
    await complains(page, /at most 53/);
    await expectAccessible(page);
  });

  it("a key that is shown, and a confirmation", async () => {
    const page = await browser.open(`${closed.url}/#/keys`, { key: ADMIN_KEY });
    await page.getByLabel("admin").check();
    await button(page, "Create").click();
    await button(page, "I have it").waitFor();
    await button(page, /^Revoke/)
      .first()
      .click();
    await button(page, /^Yes, revoke/).waitFor();
    await expectAccessible(page);
  });
});
