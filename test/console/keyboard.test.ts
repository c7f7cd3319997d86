/** The console by keyboard, and faster than it is drawn. Needs `npm run build` before. */
import { describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import { eventually, SECTIONS } from "./pages.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

/** Longer than the page takes to be drawn anew, in ms. */
const SETTLED_MS = 100;

describe("by keyboard", () => {
  it("a section is opened, a form filled in and sent; the focus is seen", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    for (let steps = 0; (await focused()) !== "Get" && steps < 20; steps += 1) {
      await page.keyboard.press("Tab");
    }
    const outline = await page.evaluate(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(
        document.activeElement ?? document.body,
      );
      return `${outlineStyle} ${outlineWidth}`;
    });
    expect(outline).toBe("solid 3px");
    await page.keyboard.press("Enter");
    // Who cannot see the page hears which view it is.
    const element = () => page.evaluate(() => document.activeElement?.tagName);
    await eventually(async () => expect(await element()).toBe("H1"));
    expect(await focused()).toBe("Get");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("4");
    await page.keyboard.press("Enter");
    await eventually(async () => expect(await page.locator(".ids a").count()).toBe(4));
  });

  it.each(SECTIONS)("$title: what is drawn anew leaves the focus where it is", async (section) => {
    const page = await browser.open(`${service.url}/${section.address}`);
    const fields = await page.locator("input[type=text], input[type=password]").all();
    // The namespace comes first: with another one the forms below it may go.
    for (const field of fields.reverse()) {
      await field.focus();
      // What the focus itself asks for has come by then.
      await page.waitForTimeout(SETTLED_MS);
      await page.keyboard.press("End");
      for (const letter of "abc") {
        await page.keyboard.press(letter);
        await page.waitForTimeout(SETTLED_MS);
      }
      // The epoch of a layout says at once that this is none, and keeps it.
      expect(await field.inputValue()).toMatch(/abc$/);
      expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
    }
  });

  it("a button that says it has copied keeps the focus", async () => {
    const page = await browser.open(`${service.url}/#/keys`);
    await page.getByRole("button", { name: "Create" }).click();
    const copy = page.getByRole("button", { name: "Copy the key" });
    await copy.focus();
    await page.keyboard.press("Enter");
    await eventually(async () => expect(await copy.innerText()).toBe("Copied"));
    expect(await copy.evaluate((one) => one === document.activeElement)).toBe(true);
  });

  it("a question takes the focus and gives it back", async () => {
    await service.ask("/v1/keys", "POST", { name: "asked for", scopes: ["issue"] });
    const page = await browser.open(`${service.url}/#/keys`);
    const revoke = page.getByRole("button", { name: /^Revoke/ }).first();
    await revoke.focus();
    const name = await revoke.getAttribute("aria-label");
    await page.keyboard.press("Enter");
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await eventually(async () => expect(await focused()).toMatch(/^No, do not revoke/));
    await page.keyboard.press("Enter");
    await eventually(async () => expect(await focused()).toBe(name));
  });
});

describe("faster than the page is drawn", () => {
  it("nothing typed is lost", async () => {
    const page = await browser.open(`${service.url}/#/get/default`);
    await page.evaluate(() => {
      const typed = { Namespace: "js53", Count: "2", Key: "user-17" };
      for (const [label, value] of Object.entries(typed)) {
        const labels = [...document.querySelectorAll("label")];
        const field = labels.find((one) => one.textContent?.startsWith(label))?.control;
        if (!(field instanceof HTMLInputElement)) throw new Error(`there is no field ${label}`);
        field.value = value;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
      document.querySelector<HTMLFormElement>("main form")?.requestSubmit();
    });
    await eventually(async () => expect(await page.locator(".ids a").count()).toBe(2));
    expect(browser.urls.at(-1)).toBe(`${service.url}/v1/ids/js53?count=2&key=user-17`);
    expect(page.url()).toBe(`${service.url}/#/get/js53`);
  });

  it("a button pressed twice does it once", async () => {
    const page = await browser.open(`${service.url}/#/keys`);
    await page.getByLabel("Name", { exact: true }).fill("pressed twice");
    await page.getByRole("button", { name: "Create" }).dblclick({ delay: 0 });
    await page.getByRole("button", { name: "I have it" }).waitFor();
    const { keys } = await service.ask("/v1/keys");
    expect(JSON.stringify(keys).split("pressed twice").length - 1).toBe(1);
  });
});
