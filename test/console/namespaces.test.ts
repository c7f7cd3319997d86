/**
 * The section Namespaces: its main jobs, most of them by keyboard. Needs `npm run build` before.
 * @module-tag long
 */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import {
  button,
  complains,
  eventually,
  expectCell,
  expectCount,
  expectFocus,
  expectNoComplaint,
  expectPlainWords,
  findings,
  overflow,
} from "./pages.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

/** The request body that the page shows. */
async function shownBody(page: Page): Promise<object> {
  return JSON.parse(await page.locator("pre").innerText());
}

/** Replaces the text of the field with the focus. */
async function retype(page: Page, text: string): Promise<void> {
  await page.keyboard.press("ControlOrMeta+a");
  if (text === "") await page.keyboard.press("Delete");
  else await page.keyboard.type(text);
}

describe("the list", () => {
  it("is searched by keyboard: the list shows the number of matches, and Enter opens the match", async () => {
    await service.ask("/v1/namespaces/parcels", "PUT", { kind: "segment" });
    const page = await browser.open(`${service.url}/#/namespaces`);
    await page.getByText(/^\d+ namespaces$/).waitFor();
    await page.getByLabel("Search").focus();
    await page.keyboard.type("segm");
    // The built-in one has the name, the other one the kind.
    await page.getByText(/^2 of \d+ namespaces match$/).waitFor();
    await expectCount(page.locator("tbody tr"), 2);
    await retype(page, "PARC");
    await page.getByText(/^1 of \d+ namespaces matches$/).waitFor();
    await page.waitForURL(/#\/namespaces\?q=PARC$/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "parcels" }).waitFor();
    expect(page.url()).toMatch(/#\/namespaces\/parcels$/);
    await page.goBack();
    await page.getByText(/^1 of \d+ namespaces matches$/).waitFor();
  });
});

describe("a new namespace", () => {
  it("of a preset, with a policy: its body is shown, and it issues IDs", async () => {
    const page = await browser.open(`${service.url}/#/namespaces`);
    await page.getByRole("link", { name: "Create a namespace" }).click();
    await page.getByLabel("Name", { exact: true }).fill("tweets");
    await page.getByLabel("Preset").selectOption("twitter: 41·5·5·12, 1 ms");
    await page.locator("summary").focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("maxBorrowMs").fill("60001");
    await complains(page, /maxBorrowMs must be an integer from 0 to 60000/);
    await expectCount(button(page, "Create it"), 0);
    await page.getByLabel("maxBorrowMs").fill("500");
    await expectNoComplaint(page);
    const body = { kind: "snowflake", preset: "twitter", policy: { maxBorrowMs: 500 } };
    await eventually(async () => expect(await shownBody(page)).toEqual(body));
    await button(page, "Copy the body").click();
    await button(page, "Create it").click();
    await page.getByText("The namespace tweets is created.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('"preset"');
    expect(await service.ask("/v1/namespaces/tweets")).toMatchObject(body);
    await page.getByRole("link", { name: "see the namespace" }).click();
    await expectCell(page, "maxBorrowMs", "500 ms");
    await page.getByRole("link", { name: "Request IDs" }).last().click();
    await page.getByLabel("Count").waitFor();
    await page.locator("main button[type=submit]").click();
    await expectCount(page.locator(".ids a"), 1);
  });

  it("of the kind segment: its page shows how much of it is used, and that it is idle", async () => {
    const page = await browser.open(`${service.url}/#/design?name=invoices`, { width: 390 });
    await page.getByLabel(/^Segment/).check();
    await page.getByLabel("Step").fill("50");
    await page.getByLabel("Max").fill("1000");
    await page.getByLabel("Delta").fill("10");
    await page.getByLabel("Remainder").fill("10");
    await complains(page, /remainder must be an integer from 0 to 9/);
    await page.getByLabel("Remainder").fill("3");
    await page.getByText("The first IDs: 3, 13, 23, …").waitFor();
    expect(await findings(page)).toEqual([]);
    await button(page, "Create it").click();
    await page.getByText("The namespace invoices is created.").waitFor();
    await service.ask("/v1/ids/invoices");
    await page.getByRole("link", { name: "see the namespace" }).click();
    await expectCell(page, "used", /^[1-9]\d*\.\d %$/);
    await expectCell(page, "time left at this rate", /^idle/);
    expect(await findings(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await expectPlainWords(page);
  });

  it("is offered with its name wherever the name is unknown", async () => {
    const page = await browser.open(`${service.url}/#/shards/nowhere`);
    await page.getByRole("link", { name: "Create nowhere" }).click();
    await page.getByRole("heading", { name: "Create a namespace" }).waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("nowhere");
  });
});

describe("a change", () => {
  it("by keyboard is shown before it is sent, and keeps the fields that it does not name", async () => {
    const policy = { maxWaitMs: 200, freshForMs: 100, randomStart: 7 };
    await service.ask("/v1/namespaces/orders", "PUT", { kind: "snowflake", policy, shards: 9 });
    const page = await browser.open(`${service.url}/#/namespaces/orders`, { width: 390 });
    await button(page, /^Change/).focus();
    await page.keyboard.press("Enter");
    await button(page, "Cancel").focus();
    await page.keyboard.press("Enter");
    await expectFocus(button(page, /^Change/));
    await page.keyboard.press("Enter");
    await expectFocus(page.getByLabel("shards"));
    // Somebody else changes another field in the meantime.
    await service.ask("/v1/namespaces/orders", "PATCH", { policy: { freshForMs: 300 } });
    await retype(page, "12");
    await page.getByLabel("maxWaitMs").focus();
    await retype(page, "");
    await page.keyboard.press("Enter");
    await expectFocus(page.getByRole("heading", { name: "The change" }));
    const change = page.getByRole("table", { name: "The change" });
    expect(await change.locator("tbody tr").allInnerTexts()).toEqual([
      expect.stringMatching(/^shards\s+9\s+12$/),
      expect.stringMatching(/^maxWaitMs\s+200 ms\s+250 ms\s+\(default\)$/),
    ]);
    const body = { shards: 12, policy: { maxWaitMs: null } };
    expect(await shownBody(page)).toEqual(body);
    expect(await findings(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect((await service.ask("/v1/namespaces/orders")).shards).toBe(9);
    const send = button(page, "Send the change");
    for (let steps = 0; steps < 5; steps += 1) {
      if (await send.evaluate((one) => one === document.activeElement)) break;
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    const result = page.getByText("orders is changed: shards is now 12; maxWaitMs is now 250 ms.");
    await result.waitFor();
    await expectFocus(result);
    await expectCell(page, "maxWaitMs", "250 ms");
    expect(await service.ask("/v1/namespaces/orders")).toMatchObject({
      shards: 12,
      policy: { maxWaitMs: 250, freshForMs: 300, randomStart: 7 },
    });
  });

  it("is not offered for a built-in namespace, but its preset for one's own", async () => {
    const page = await browser.open(`${service.url}/#/namespaces/js53`);
    await page.getByText("A built-in namespace never changes").waitFor();
    await expectCount(button(page, /^(Change|Retire)/), 0);
    await page.getByRole("link", { name: "Create your own from it" }).click();
    await eventually(async () => expect(await shownBody(page)).toMatchObject({ preset: "js53" }));
  });
});

describe("retiring", () => {
  it("needs the whole name, and is for ever", async () => {
    await service.ask("/v1/namespaces/old", "PUT", { kind: "snowflake" });
    const page = await browser.open(`${service.url}/#/namespaces/old`);
    await page.getByLabel("Name, to confirm").focus();
    for (const typed of ["", "ol"]) {
      await retype(page, typed);
      await page.keyboard.press("Enter");
      await complains(page, /To retire this namespace, type its name: old/);
    }
    expect((await service.ask("/v1/namespaces/old")).retired).toBe(false);
    await retype(page, "old");
    await page.keyboard.press("Enter");
    const result = page.getByText("old is retired.");
    await result.waitFor();
    await expectFocus(result);
    await expectCount(button(page, /^(Change|Retire)/), 0);
    expect((await service.ask("/v1/namespaces/old")).retired).toBe(true);
    await page.getByRole("link", { name: "All namespaces" }).click();
    await page.getByRole("rowheader", { name: "old retired" }).waitFor();
  });
});
