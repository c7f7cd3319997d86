/** Where the focus is seen and goes to, by keyboard alone. Needs `npm run build` before. */
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import { eventually, SECTIONS } from "./pages.ts";
import { ADMIN_KEY, TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

/** More than any section has places for the focus. */
const STEPS_MAX = 150;

interface Place {
  readonly tag: string;
  readonly words: string;
  readonly outline: string;
  readonly isInView: boolean;
}

/** Where the focus is. */
function place(page: Page): Promise<Place> {
  return page.evaluate(() => {
    const one = document.activeElement ?? document.body;
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return {
      tag: one.tagName,
      words: one.getAttribute("aria-label") ?? one.textContent ?? "",
      outline: `${outlineStyle} ${outlineWidth}`,
      isInView: right > 0 && left < innerWidth && bottom > 0 && top < innerHeight,
    };
  });
}

async function expectFocus(on: Locator): Promise<void> {
  await eventually(async () => {
    expect(await on.evaluate((one) => one === document.activeElement)).toBe(true);
  });
}

describe("the focus", () => {
  it.each(SECTIONS)("$title: is seen wherever it goes", async ({ address, sign }) => {
    await service.ask("/v1/leases/default", "POST", { holder: "pod-7" });
    await service.ask("/v1/keys", "POST", { name: "a key", scopes: ["issue"] });
    const page = await browser.open(`${service.url}/${address}`, { width: 375 });
    await page.locator("main").getByText(sign).first().waitFor();
    let steps = 0;
    for (; steps < STEPS_MAX; steps += 1) {
      await page.keyboard.press("Tab");
      const { tag, words, outline, isInView } = await place(page);
      if (tag === "BODY") break;
      expect([words, outline, isInView]).toEqual([words, "solid 3px", true]);
    }
    expect(steps).toBeGreaterThan(10);
    expect(steps).toBeLessThan(STEPS_MAX);
  });

  it("goes past the sections at once", async () => {
    const page = await browser.open(`${service.url}/#/range/js53?from=2026-01-01&until=2026-02-01`);
    const address = page.url();
    await page.keyboard.press("Tab");
    const skip = page.getByRole("button", { name: "Skip to the content" });
    await expectFocus(skip);
    expect((await place(page)).isInView).toBe(true);
    await page.keyboard.press("Enter");
    await expectFocus(page.locator("h1"));
    expect(page.url()).toBe(address);
    await page.keyboard.press("Tab");
    await expectFocus(page.getByLabel("Namespace"));
  });

  it("goes to what takes the place of the key's form", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    await page.getByLabel("API key").focus();
    await page.keyboard.type(ADMIN_KEY);
    await page.keyboard.press("Enter");
    await expectFocus(page.getByRole("button", { name: "Forget it" }));
    await page.keyboard.press("Enter");
    await expectFocus(page.getByLabel("API key"));
  });

  it("stays on a button that goes through pages", async () => {
    await service.ask("/v1/namespaces/paged", "PUT", { kind: "snowflake", shards: 40 });
    const page = await browser.open(`${service.url}/#/shards/paged`);
    const [next, first] = ["Next page", "First page"].map((name) => {
      return page.getByRole("button", { name });
    });
    if (!next || !first) throw new Error("no buttons");
    await next.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("rowheader", { name: /^39/ }).waitFor();
    await expectFocus(next);
    expect(await next.getAttribute("aria-disabled")).toBe("true");
    const { length } = browser.urls;
    await page.keyboard.press("Enter");
    expect(browser.urls.slice(length).filter((url) => !url.includes("cursor"))).toEqual([]);
    await page.keyboard.press("Shift+Tab");
    await expectFocus(first);
    await page.keyboard.press("Enter");
    await page.getByRole("rowheader", { name: /^0/ }).waitFor();
    await expectFocus(first);
  });
});

describe("a question", () => {
  it("is said with the focus, and Escape takes it back", async () => {
    await service.ask("/v1/keys", "POST", { name: "asked for", scopes: ["issue"] });
    const page = await browser.open(`${service.url}/#/keys`, { width: 375 });
    const revoke = page.getByRole("button", { name: /^Revoke/ }).first();
    await revoke.focus();
    await page.keyboard.press("Enter");
    const question = page.getByRole("group", { name: /It ends for good/ });
    await expectFocus(question.getByRole("button", { name: /^No/ }));
    // All of it is in sight, also where the table is wider than the page.
    const { right, width } = await question.evaluate((one) => ({
      right: one.getBoundingClientRect().right,
      width: innerWidth,
    }));
    expect(right).toBeLessThanOrEqual(width);
    await page.keyboard.press("Escape");
    await expectFocus(revoke);
    expect(await question.count()).toBe(0);
  });

  it("whose answer takes its row away hands the focus to what is said then", async () => {
    const { id } = await service.ask("/v1/keys", "POST", { name: "goes", scopes: ["issue"] });
    const page = await browser.open(`${service.url}/#/keys`);
    await page.getByRole("button", { name: `Revoke the key ${id}` }).focus();
    await page.keyboard.press("Enter");
    await expectFocus(page.getByRole("button", { name: /^No/ }));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expectFocus(page.locator("[role=status]", { hasText: `The key ${id} is revoked.` }));
    await page.getByRole("button", { name: `Revoke the key ${id}` }).waitFor({ state: "detached" });
    expect((await place(page)).tag).toBe("P");
  });

  it("comes before a lease is released, also to one who presses twice", async () => {
    const { worker, token } = await service.ask("/v1/leases/leaf", "POST", { holder: "pod-7" });
    const page = await browser.open(`${service.url}/#/leases/leaf`);
    const release = page.getByRole("button", { name: "Release", exact: true });
    await page.getByLabel("Worker ID", { exact: true }).fill(`${worker}`);
    await page.getByLabel("Token").fill(`${token}`);
    const no = page.getByRole("button", { name: "No", exact: true });
    await release.dblclick();
    await expectFocus(no);
    await release.focus();
    await page.keyboard.press("Enter");
    await expectFocus(no);
    await page.keyboard.press("Escape");
    await expectFocus(release);
    await page.getByLabel("Token").focus();
    await page.keyboard.press("Enter");
    await expectFocus(no);
    await page.keyboard.press("Enter");
    await expectFocus(release);
    expect(browser.paths).not.toContain(`/v1/leases/leaf/${worker}`);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Yes, release/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("is released").waitFor();
    await expectFocus(release);
  });

  it("moves the focus before the next key is pressed, however late frames are drawn", async () => {
    const { worker, token } = await service.ask("/v1/leases/leaf", "POST", { holder: "pod-8" });
    const page = await browser.open(`${service.url}/docs`);
    await page.addInitScript(() => {
      const next = requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (draw) => next((atMs) => setTimeout(draw, 300, atMs));
    });
    await page.goto(`${service.url}/#/leases/leaf`);
    await page.getByLabel("Worker ID", { exact: true }).fill(`${worker}`);
    await page.getByLabel("Token").fill(`${token}`);
    await page.keyboard.press("Enter");
    const yes = page.getByRole("button", { name: /^Yes, release/ });
    await yes.focus();
    // All that was left to a frame has run by then.
    await page.evaluate(() => new Promise(requestAnimationFrame));
    await expectFocus(yes);
    await page.keyboard.press("Enter");
    await page.getByText("is released").waitFor();
  });

  it("a key that was shown leaves the focus where the next one is made", async () => {
    const page = await browser.open(`${service.url}/#/keys`);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("button", { name: "I have it" }).focus();
    await page.keyboard.press("Enter");
    await expectFocus(page.getByRole("button", { name: "Create" }));
  });
});
