/** Addresses, stored keys and answers that mean harm or none. Needs `npm run build` before. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import { alerts, expectPlainWords, overflow } from "./pages.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

/** Longer than the page takes for what needs no answer, in ms: a name settles for 300. */
const SETTLED_MS = 500;

const NAMES = ["decode", "range", "get", "design", "shards", "leases", "keys"];

const TAILS: readonly (readonly [what: string, tail: string])[] = [
  ["broken escapes", "%E0%A4%A/%/%zz?encoding=%&from=%E0%A4%A"],
  ["half of a pair", "%ED%A0%80/%ED%B0%80?until=%ED%A0%80"],
  ["100 kB", `${"a".repeat(50_000)}/${"9".repeat(50_000)}?from=${"7".repeat(50_000)}`],
  ["control characters", "a%00%01%1B%7F/%00%0A%0D?from=%00"],
  ["marks that turn the writing", "%E2%80%AE%D8%B9/%E2%81%A6%E2%80%AE1?from=%E2%80%AE"],
  ["a script's address", "javascript:window.pwned=1/javascript:window.pwned=1"],
  ["another host", "/evil.example//evil.example?from=//evil.example"],
  ["steps up", "../..%2F..%2Fv1%2Fkeys/%2e%2e?cursor=1"],
];

/** That the page stands, leads nowhere else and says nothing that only a program would. */
async function stands(page: Page): Promise<void> {
  expect(await page.locator("h1").count()).toBe(1);
  expect(await page.evaluate(() => "pwned" in window)).toBe(false);
  expect(await page.locator("img, iframe, form[action], script:not([src])").count()).toBe(0);
  const links = await page
    .locator("a")
    .evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  expect(links.filter((href) => !/^(#\/|\/docs$)/.test(href ?? ""))).toEqual([]);
  expect(new URL(page.url()).origin).toBe(service.url);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  await expectPlainWords(page);
}

describe("an address with", () => {
  it.each(TAILS)("%s", async (_, tail) => {
    const page = await browser.open(`${service.url}/#/decode`);
    for (const name of NAMES) {
      await page.goto(`${service.url}/#/${name}/${tail}`);
      await page.waitForTimeout(SETTLED_MS);
      await stands(page);
    }
    const asked = browser.paths.filter((path) => /^\/v1\/(shards|leases|namespaces)\/./.test(path));
    expect(asked).toEqual([]);
    // It can be gone on with.
    await page.goto(`${service.url}/#/decode/twitter/1541815603606036480`);
    await page.getByText("Encodings").waitFor();
  });
});

it("an address that is gone to at once, before the page was seen, is gone to", async () => {
  const page = await browser.open(`${service.url}/docs`);
  await page.addInitScript(() => {
    // A slow machine: the first picture comes late.
    const next = requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (draw) => next((atMs) => setTimeout(draw, 100, atMs));
    new MutationObserver((_, observer) => {
      if (!document.querySelector("h1")) return;
      observer.disconnect();
      location.hash = "#/range";
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(`${service.url}/#/decode`);
  await page.getByRole("heading", { name: "Range" }).waitFor();
});

describe("a stored key that cannot be one", () => {
  it.each(["a\nb: c", "schlüssel", "<img src=x onerror=window.pwned=1>", "\ud800", "\0"])(
    "%j",
    async (key) => {
      const page = await browser.open(`${service.url}/#/keys`, { key });
      await page.getByRole("heading", { name: "A new key" }).waitFor();
      expect(await alerts(page)).toBe("");
      await page.getByLabel("API key").waitFor();
      await stands(page);
    },
  );
});
