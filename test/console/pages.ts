/** How tests read the console and go through it. */
import axe from "axe-core";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { TestService } from "./service.ts";

/** Deadline for the page's own updates, in ms: it polls every 2 s. */
const SEEN_MAX_MS = 20_000;

/** An address of each section, with something to see in it; `sign`: a text that it ends in showing. */
export const SECTIONS = [
  {
    title: "Overview",
    address: "#/",
    scope: undefined,
    sign: "All namespaces",
  },
  {
    title: "Decode",
    address: "#/decode/twitter/1541815603606036480",
    scope: undefined,
    sign: "Encodings",
  },
  {
    title: "Range",
    address: "#/range/default?from=2026-01-01&until=2026-02-01",
    scope: undefined,
    sign: "SQL",
  },
  { title: "Request IDs", address: "#/request/default", scope: "issue", sign: "RPC" },
  {
    title: "Create a namespace",
    entry: "Namespaces",
    address: "#/design?tick=1",
    scope: "admin",
    sign: "Runs out",
  },
  { title: "Namespaces", address: "#/namespaces", scope: "read", sign: "js53" },
  { title: "Shards", address: "#/shards/default", scope: "read", sign: "weur" },
  { title: "Leases", address: "#/leases/default", scope: "lease", sign: "pod-7" },
  { title: "Keys", address: "#/keys", scope: "admin", sign: "A new key" },
] as const;

/** Something to list in Leases. */
export async function fill(service: TestService): Promise<void> {
  await service.ask("/v1/leases/default", "POST", { holder: "pod-7", ttlMs: 600_000 });
}

/** The text of a row's first cell, next to its heading. */
export async function cell(page: Page, heading: string): Promise<string> {
  const headings = page.getByRole("rowheader", { name: heading });
  const row = page.locator("tr").filter({ has: headings }).first();
  return (await row.locator("td").first().innerText()).trim();
}

/** Waits until the first cell beside a heading is that. */
export async function expectCell(page: Page, heading: string, is: RegExp | string): Promise<void> {
  await eventually(async () => {
    const text = await cell(page, heading);
    if (typeof is === "string") expect(text).toBe(is);
    else expect(text).toMatch(is);
  });
}

/** The page's error messages: all its alerts. */
export async function alerts(page: Page): Promise<string> {
  return (await page.getByRole("alert").allInnerTexts()).join(" ");
}

/** Waits until a check of the page succeeds. */
export async function eventually(look: () => Promise<void>): Promise<void> {
  await expect.poll(() => look().then(() => "", String), { timeout: SEEN_MAX_MS }).toBe("");
}

/** Waits until there are that many. */
export async function expectCount(of: Locator, count: number): Promise<void> {
  await eventually(async () => expect(await of.count()).toBe(count));
}

/** Waits until the page shows that error. */
export async function complains(page: Page, of: RegExp): Promise<void> {
  await eventually(async () => expect(await alerts(page)).toMatch(of));
}

/** Waits until the page shows no error. */
export async function expectNoComplaint(page: Page): Promise<void> {
  await eventually(async () => expect(await alerts(page)).toBe(""));
}

/** Waits until a control has the focus. */
export async function expectFocus(on: Locator): Promise<void> {
  await eventually(async () => {
    expect(await on.evaluate((one) => one === document.activeElement)).toBe(true);
  });
}

/** A button, by its whole name or a part of it. */
export function button(page: Page | Locator, name: string | RegExp): Locator {
  return page.getByRole("button", { name, ...(typeof name === "string" && { exact: true }) });
}

/** Waits until the work of the next frame has run. */
export async function nextFrame(page: Page): Promise<void> {
  await page.evaluate(() => new Promise(requestAnimationFrame));
}

/** Waits until all requests that the page has begun are seen: this one comes after them. */
export async function flush(page: Page): Promise<void> {
  await page.evaluate(() => fetch("/healthz").then(({ ok }) => ok));
}

/** Whether the page is the one in front: a headless browser has none. */
export async function setVisible(page: Page, isVisible: boolean): Promise<void> {
  await page.evaluate(
    (state) => {
      Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    },
    isVisible ? "visible" : "hidden",
  );
}

/** axe-core's findings on the current page; `tags`: by these rules only. */
export async function findings(page: Page, ...tags: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate((runOnly) => {
    const options = runOnly.length > 0 ? { runOnly } : {};
    return (window as unknown as AxeWindow).axe.run({ ...options, resultTypes: ["violations"] });
  }, tags);
  return violations.map(({ id, nodes }) => {
    return `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`;
  });
}

interface AxeWindow {
  readonly axe: typeof axe;
}

/** The page shows no text that is meant for programs. */
export async function expectPlainWords(page: Page): Promise<void> {
  const text = await page.locator("body").innerText();
  expect(text).not.toMatch(/\bNaN\b|undefined|\[object|Invalid Date|Infinity/);
}

/** How much wider than the window the page is, in px. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}
