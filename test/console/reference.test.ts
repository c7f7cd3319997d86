/**
 * The reference for all readers, its search and its links. Needs `npm run build` before.
 * @module-tag long
 */
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import { eventually, expectCount, expectFocus, findings, overflow } from "./pages.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

const open = (width = 1280, hash = ""): Promise<Page> =>
  browser.open(`${service.url}/docs${hash}`, { width });

/** The titles of the operations that are shown. */
function operations(page: Page): Promise<string[]> {
  return page.locator(".operation:visible h3").allInnerTexts();
}

/** The contents that are shown: beside the page, or at its top. */
const contents = (page: Page): Locator => page.getByRole("navigation", { name: "Contents" });

describe("for all readers", () => {
  it.each([1280, 390])("axe finds nothing at %s px, in light and dark", async (width) => {
    const page = await open(width);
    await page.evaluate(() => {
      for (const list of document.querySelectorAll("details")) list.open = true;
    });
    expect(await findings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    // Of the rules, those of colours differ in the dark.
    expect(await findings(page, "cat.color")).toEqual([]);
  });

  it("nothing is wider than the window, from 390 to 1600 px and with large text", async () => {
    const page = await open();
    for (const width of [390, 640, 820, 1024, 1200, 1600]) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await overflow(page)]).toEqual([width, 0]);
    }
    await page.setViewportSize({ width: 390, height: 900 });
    await page.evaluate(() => {
      document.documentElement.style.fontSize = "200%";
    });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  });

  it("without its script the page is complete", async () => {
    const page = await open();
    const all = await operations(page);
    await page.route("**/docs.js", (route) => route.abort());
    await page.reload();
    expect(await operations(page)).toEqual(all);
    await expectCount(page.getByRole("searchbox"), 0);
    await page.setViewportSize({ width: 390, height: 900 });
    await page.getByText("Contents").click();
    await contents(page).getByRole("link", { name: "Renew a lease" }).click();
    expect(page.url()).toMatch(/#renewLease$/);
  });
});

describe("the search, by keyboard", () => {
  it("/ leads to it, Enter to the first thing found, Escape shows everything again", async () => {
    const page = await open();
    const all = await operations(page);
    const field = page.getByRole("searchbox");
    await page.keyboard.press("/");
    await expectFocus(field);
    await page.keyboard.type("revoke key");
    expect(await operations(page)).toEqual(["Revoke an API key"]);
    await expectCount(contents(page).getByRole("link"), 2);
    await page.keyboard.press("Enter");
    await expectFocus(page.getByRole("heading", { name: "Revoke an API key" }).getByRole("link"));
    expect(page.url()).toMatch(/#revokeKey$/);
    await page.keyboard.press("/");
    await expectFocus(field);
    await page.keyboard.press("Escape");
    expect(await operations(page)).toEqual(all);
    expect(all.length).toBeGreaterThan(25);
  });

  it("finds methods and paths", async () => {
    const page = await open();
    await page.getByRole("searchbox").fill("delete /v1/keys");
    expect(await operations(page)).toEqual(["Revoke an API key"]);
  });

  it("finds parameters and fields, also those in a closed list", async () => {
    const page = await open();
    await page.keyboard.press("/");
    await page.keyboard.type("leaseTtlMaxMs");
    expect(await operations(page)).toEqual(["Create or replace a namespace", "Change a namespace"]);
    const row = page.locator(".operation dt:visible").filter({ hasText: "leaseTtlMaxMs" });
    await expectCount(row, 2);
    await page.keyboard.press("Escape");
    await expectCount(row, 0);
  });

  it("finds codes of errors, and says how much it found", async () => {
    const page = await open();
    await page.keyboard.press("/");
    await page.keyboard.type("lease_lost");
    await expectCount(page.locator("tbody tr:visible"), 1);
    await eventually(async () => {
      expect(await page.getByRole("status").innerText()).toBe("Operations: 0, errors: 1");
    });
    await page.keyboard.type("!");
    await page.getByText("Nothing found").waitFor();
  });
});

describe("links", () => {
  it("a heading is a link to itself, and so is the code of an error", async () => {
    const page = await open();
    await page.getByRole("heading", { name: "Get an ID range" }).getByRole("link").click();
    expect(page.url()).toMatch(/\/docs#getRange$/);
    await page.getByRole("rowheader").getByRole("link", { name: "clock_behind" }).click();
    expect(page.url()).toMatch(/\/docs#clock_behind$/);
  });

  it("the contents stay in view, and name the section that is read", async () => {
    const page = await open(1280, "#acquireLease");
    const link = contents(page).locator("[aria-current]");
    await eventually(async () => expect(await link.innerText()).toBe("Acquire a lease"));
    await eventually(async () => {
      const box = await link.boundingBox();
      expect(box && box.y >= 0 && box.y < 900).toBe(true);
    });
  });

  it("a link to something that the search hides shows it", async () => {
    const page = await open();
    await page.keyboard.press("/");
    await page.keyboard.type("range");
    await page.evaluate(() => {
      location.hash = "#unauthorized";
    });
    await page.locator("#unauthorized").waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
  });

  it("on a phone, the contents open at the top and close after a choice", async () => {
    const page = await open(390);
    await page.getByText("Contents").click();
    await contents(page).getByRole("link", { name: "Renew a lease" }).click();
    await expectCount(contents(page), 0);
    expect(page.url()).toMatch(/#renewLease$/);
  });
});

it("a button copies an example, with the address of this service", async () => {
  const page = await open();
  const figure = page.locator("figure").filter({ hasText: "/v1/ids/orders?count=3" });
  await figure.getByRole("button", { name: "Copy" }).click();
  await figure.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain(`curl "${service.url}/v1/ids/orders?count=3"`);
});
