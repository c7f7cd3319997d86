/**
 * The console by keyboard alone, where the focus goes, and input faster than the page is drawn. Needs `npm run build`
 * before.
 * @module-tag long
 */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import {
  button,
  eventually,
  expectCount,
  expectFocus,
  fill,
  nextFrame,
  SECTIONS,
} from "./pages.ts";
import { ADMIN_KEY, TestService } from "./service.ts";

const service = TestService.ofFile("open");
/** Open access makes no keys. */
const closed = TestService.ofFile("keys");
const withKey = { key: ADMIN_KEY } as const;
const browser = TestBrowser.ofFile();
beforeAll(() => fill(service));

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

async function makeKey(name: string): Promise<string> {
  const { id } = await closed.ask("/v1/keys", "POST", { name, scopes: ["issue"] });
  return `${id}`;
}

describe("in each section", () => {
  it.each(SECTIONS)(
    "$title: the focus is always visible, and stays in a field during typing",
    async ({ address, sign }) => {
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
      const fields = await page
        .locator("input[type=text]:visible, input[type=password]:visible")
        .all();
      // The namespace comes first: with another one the forms below it may go.
      for (const field of fields.reverse()) {
        await field.focus();
        await page.keyboard.press("End");
        for (const letter of "abc") {
          await page.keyboard.press(letter);
          await nextFrame(page);
        }
        // The epoch of a layout says at once that this is none, and keeps it.
        expect(await field.inputValue()).toMatch(/abc$/);
        expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
      }
    },
  );
});

describe("by keyboard", () => {
  it("a section opens, and a form is filled in and sent", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    for (let steps = 0; (await place(page)).words !== "Request IDs" && steps < 20; steps += 1) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    // The heading says which view it is.
    await expectFocus(page.getByRole("heading", { level: 1, name: "Request IDs" }));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("4");
    await page.keyboard.press("Enter");
    await expectCount(page.locator(".ids a"), 4);
  });

  it("the list of sections can be skipped", async () => {
    const page = await browser.open(`${service.url}/#/range/js53?from=2026-01-01&until=2026-02-01`);
    const address = page.url();
    await page.keyboard.press("Tab");
    await expectFocus(button(page, "Skip to the content"));
    expect((await place(page)).isInView).toBe(true);
    await page.keyboard.press("Enter");
    await expectFocus(page.locator("h1"));
    expect(page.url()).toBe(address);
    await page.keyboard.press("Tab");
    await expectFocus(page.getByLabel("Namespace"));
  });
});

describe("the focus goes to", () => {
  it("nothing else while a user turns pages", async () => {
    await service.ask("/v1/namespaces/paged", "PUT", { kind: "snowflake", shards: 40 });
    const page = await browser.open(`${service.url}/#/shards/paged`);
    const [next, first] = [button(page, "Next page"), button(page, "First page")];
    await next.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("rowheader", { name: /^39/ }).waitFor();
    await expectFocus(next);
    expect(await next.getAttribute("aria-disabled")).toBe("true");
    // Off: it leads nowhere.
    await page.keyboard.press("Enter");
    await nextFrame(page);
    await expectCount(page.getByRole("rowheader", { name: /^39/ }), 1);
    await page.keyboard.press("Shift+Tab");
    await expectFocus(first);
    await page.keyboard.press("Enter");
    await page.getByRole("rowheader", { name: /^0/ }).waitFor();
    await expectFocus(first);
  });

  it("a confirmation, all of it visible, and back on Escape and on No", async () => {
    await makeKey("asked for");
    const page = await browser.open(`${closed.url}/#/keys`, { ...withKey, width: 375 });
    const revoke = button(page, /^Revoke/).first();
    await revoke.focus();
    const question = page.getByRole("group", { name: /Revoking is permanent/ });
    for (const key of ["Escape", "Enter"]) {
      await page.keyboard.press("Enter");
      await expectFocus(question.getByRole("button", { name: /^No, do not revoke/ }));
      const { right, width } = await question.evaluate((one) => ({
        right: one.getBoundingClientRect().right,
        width: innerWidth,
      }));
      expect(right).toBeLessThanOrEqual(width);
      await page.keyboard.press(key);
      await expectFocus(revoke);
      await expectCount(question, 0);
    }
  });

  it("the confirmation before a lease is released, also after a double press", async () => {
    const { worker, token } = await service.ask("/v1/leases/leaf", "POST", { holder: "pod-7" });
    const page = await browser.open(`${service.url}/#/leases/leaf`);
    const [release, no] = [button(page, "Release"), button(page, "No")];
    await page.getByLabel("Worker ID", { exact: true }).fill(`${worker}`);
    await page.getByLabel("Token").fill(`${token}`);
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
    expect(browser.asked).not.toContain(`/v1/leases/leaf/${worker}`);
    await page.keyboard.press("Enter");
    await button(page, /^Yes, release/).focus();
    await page.keyboard.press("Enter");
    await page.getByText("is released").waitFor();
    await expectFocus(release);
  });

  it("the button for the next key, when a shown key is hidden; copying does not move the focus", async () => {
    const page = await browser.open(`${closed.url}/#/keys`, withKey);
    await button(page, "Create").click();
    const copy = button(page, "Copy the key");
    await copy.focus();
    await page.keyboard.press("Enter");
    await eventually(async () => expect(await copy.innerText()).toBe("Copied"));
    await expectFocus(copy);
    await button(page, "I have it").focus();
    await page.keyboard.press("Enter");
    await expectFocus(button(page, "Create"));
  });
});

/** A person who knows the page presses the next key before the next frame. */
describe("before the next frame, even a late one", () => {
  const late = { time: "lateFrames" } as const;

  it("the confirmation before a lease is released gets the focus, and does not take it again", async () => {
    const { worker, token } = await service.ask("/v1/leases/leaf", "POST", { holder: "pod-8" });
    const page = await browser.open(`${service.url}/#/leases/leaf`, late);
    await page.getByLabel("Worker ID", { exact: true }).fill(`${worker}`);
    await page.getByLabel("Token").fill(`${token}`);
    await page.keyboard.press("Enter");
    const yes = button(page, /^Yes, release/);
    await yes.focus();
    await nextFrame(page);
    await expectFocus(yes);
    await page.keyboard.press("Enter");
    await page.getByText("is released").waitFor();
  });

  it("so do the confirmation before a key is revoked, and the message after its row is gone", async () => {
    const id = await makeKey("quickly gone");
    const page = await browser.open(`${closed.url}/#/keys`, { ...withKey, ...late });
    const revoke = button(page, `Revoke the key ${id}`);
    await revoke.focus();
    for (const key of ["Enter", "Tab", "Enter"]) await page.keyboard.press(key);
    const said = page.locator("[role=status]", { hasText: `The key ${id} is revoked.` });
    await said.waitFor();
    await revoke.waitFor({ state: "detached" });
    await expectFocus(said);
  });

  it("so does the heading of a section", async () => {
    const page = await browser.open(`${service.url}/#/decode`, late);
    await page.getByRole("link", { name: "Range" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Range" }).waitFor();
    await page.keyboard.press("Tab");
    await nextFrame(page);
    await expectFocus(page.getByLabel("Namespace"));
  });
});

describe("faster than the page renders", () => {
  it("no typed text is lost", async () => {
    const page = await browser.open(`${service.url}/#/request/default`);
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
    await expectCount(page.locator(".ids a"), 2);
    expect(browser.urls.at(-1)).toBe(`${service.url}/v1/ids/js53?count=2&key=user-17`);
    expect(page.url()).toBe(`${service.url}/#/request/js53`);
  });

  it("a button pressed twice acts once", async () => {
    const page = await browser.open(`${closed.url}/#/keys`, withKey);
    await page.getByLabel("Name", { exact: true }).fill("pressed twice");
    await button(page, "Create").dblclick({ delay: 0 });
    await button(page, "I have it").waitFor();
    const { keys } = await closed.ask("/v1/keys");
    expect(JSON.stringify(keys).split("pressed twice").length - 1).toBe(1);
  });
});
