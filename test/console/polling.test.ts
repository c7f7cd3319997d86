/** When the service is asked, and when no more. Needs `npm run build` before. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import { eventually, SECTIONS } from "./pages.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

/** Longer than two looks take, in ms. */
const WATCHED_MS = 5000;
const POLLED = ["shards", "leases", "keys"] as const;

const asked = () => browser.paths.filter((path) => path.startsWith("/v1/")).length;

/** As when another tab is looked at: a headless browser has none in front. */
async function hide(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
}

describe.each(POLLED)("%s", (name) => {
  const address = `#/${name}${name === "keys" ? "" : "/default"}`;

  it("a service that is slow is asked one thing at a time", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    const [underWay, most] = [new Map<string, number>(), new Map<string, number>()];
    await page.route("**/v1/**", async (route) => {
      const { pathname } = new URL(route.request().url());
      const now = (underWay.get(pathname) ?? 0) + 1;
      underWay.set(pathname, now);
      most.set(pathname, Math.max(most.get(pathname) ?? 0, now));
      await new Promise((resolve) => setTimeout(resolve, WATCHED_MS));
      underWay.set(pathname, (underWay.get(pathname) ?? 0) - 1);
      await route.abort().catch(() => undefined);
    });
    await page.goto(`${service.url}/${address}`);
    await eventually(async () => expect(asked()).toBeGreaterThan(0));
    for (let time = 0; time < 5; time += 1) {
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    }
    await page.waitForTimeout(2 * WATCHED_MS);
    expect([...most.values()].filter((one) => one !== 1)).toEqual([]);
    expect(most.has(`/v1/${name}${name === "keys" ? "" : "/default"}`)).toBe(true);
  });

  it("asks nothing more once it was left, also at once", async () => {
    const page = await browser.open(`${service.url}/docs`);
    await page.addInitScript(() => {
      // A slow machine: pictures come late.
      const next = requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (draw) => next((atMs) => setTimeout(draw, 100, atMs));
    });
    await page.goto(`${service.url}/#/decode`);
    await page.locator("h1").waitFor();
    for (const stayMs of [0, 1500]) {
      await page.evaluate(
        ([there, ms]) => {
          addEventListener("hashchange", () => setTimeout(() => location.assign("#/decode"), ms), {
            once: true,
          });
          location.assign(there);
        },
        [address, stayMs] as const,
      );
      await page.waitForTimeout(stayMs + 500);
      await page.getByRole("heading", { name: "Decode" }).waitFor();
      const before = asked();
      await page.waitForTimeout(WATCHED_MS);
      expect(asked()).toBe(before);
    }
    expect(asked()).toBeGreaterThan(0);
  });

  it("asks nothing while the page is hidden", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    await hide(page);
    await page.goto(`${service.url}/${address}`);
    await page.waitForTimeout(1000);
    expect(asked()).toBe(0);
  });
});

it("the other sections ask nothing by themselves", async () => {
  for (const { address, title } of SECTIONS) {
    if (POLLED.some((name) => name === title.toLowerCase())) continue;
    const page = await browser.open(`${service.url}/${address}`);
    await page.waitForTimeout(1000);
  }
  expect(asked()).toBe(0);
});
