/** How tests read the console and go through it. */
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** How long something that the page does by itself may take, in ms: it looks every 2 s. */
const SEEN_MAX_MS = 20_000;

/** An address of each section, with something to see in it; `sign`: a text that it ends in showing. */
export const SECTIONS = [
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
  { title: "Get", address: "#/get/default", scope: "issue", sign: "RPC" },
  { title: "Design", address: "#/design", scope: "admin", sign: "Runs out" },
  { title: "Shards", address: "#/shards/default", scope: "read", sign: "weur" },
  { title: "Leases", address: "#/leases/default", scope: "lease", sign: "pod-7" },
  { title: "Keys", address: "#/keys", scope: "admin", sign: "A new key" },
] as const;

/** What stands beside a row's heading, in the first cell. */
export async function cell(page: Page, heading: string): Promise<string> {
  const headings = page.getByRole("rowheader", { name: heading });
  const row = page.locator("tr").filter({ has: headings }).first();
  return (await row.locator("td").first().innerText()).trim();
}

/** What the page complains of: all its alerts. */
export async function alerts(page: Page): Promise<string> {
  return (await page.getByRole("alert").allInnerTexts()).join(" ");
}

/** Waits until something on the page is so. */
export async function eventually(look: () => Promise<void>): Promise<void> {
  await expect.poll(() => look().then(() => "", String), { timeout: SEEN_MAX_MS }).toBe("");
}

/** Waits until the page complains of that. */
export async function complains(page: Page, of: RegExp): Promise<void> {
  await eventually(async () => expect(await alerts(page)).toMatch(of));
}

/** Nothing that only a program would say is on the page. */
export async function expectPlainWords(page: Page): Promise<void> {
  const text = await page.locator("body").innerText();
  expect(text).not.toMatch(/\bNaN\b|undefined|\[object|Invalid Date|Infinity/);
}

/** How much wider than the window the page is, in px. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}
