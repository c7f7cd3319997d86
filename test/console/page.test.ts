/** What holds for every section: access, safety, size, keyboard. Needs `npm run build` before. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { TestBrowser, type View } from "./browser.ts";
import { complains, expectPlainWords, overflow, SECTIONS } from "./pages.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

/** All assets together, gzipped, in bytes. */
const ASSETS_MAX_BYTES = 60_000;

const EVIL = "<img src=x onerror=window.pwned=1>";

const VIEWS: readonly View[] = [
  { colorScheme: "light", width: 1200 },
  { colorScheme: "dark", width: 1200 },
  { colorScheme: "light", width: 375 },
  { colorScheme: "dark", width: 375 },
];

/** What axe-core finds on the page as it is. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (window as unknown as AxeWindow).axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

interface AxeWindow {
  readonly axe: typeof axe;
}

/** Longer than the page takes for what needs no answer, in ms. */
const SETTLED_MS = 100;

async function expectNoHtml(page: Page): Promise<void> {
  expect(await page.locator("img, script:not([src])").count()).toBe(0);
  expect(await page.evaluate(() => "pwned" in window)).toBe(false);
}

describe("all assets", () => {
  it(`are at most ${ASSETS_MAX_BYTES} bytes, gzipped`, () => {
    const folder = path.join(import.meta.dirname, "../../dist/assets");
    const sizes = readdirSync(folder).map((file) => {
      return gzipSync(readFileSync(path.join(folder, file))).length;
    });
    expect(sizes.length).toBeGreaterThan(3);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(ASSETS_MAX_BYTES);
  });
});

describe.each(SECTIONS)("$title", ({ title, address, sign }) => {
  it.each(VIEWS)("axe finds nothing, $colorScheme, $width px wide", async (view) => {
    await service.ask("/v1/leases/default", "POST", { holder: "pod-7" });
    await service.ask("/v1/keys", "POST", { name: "a key", scopes: ["issue"] });
    const page = await browser.open(`${service.url}/${address}`, view);
    await page.locator("main").getByText(sign).first().waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await page.title()).toBe(`${title} · Edgeflake`);
    expect(await page.locator('nav [aria-current="page"]').innerText()).toBe(title);
    await expectPlainWords(page);
  });
});

describe("complaints and questions", () => {
  it.each(VIEWS)("axe finds nothing in them, $colorScheme, $width px wide", async (view) => {
    const page = await browser.open(`${service.url}/#/decode/twitter/-1`, view);
    await complains(page, /no ID/);
    expect(await findings(page)).toEqual([]);
    await page.goto(`${service.url}/#/design`);
    await page.getByLabel(/^Timestamp bits/).fill("53");
    await page.getByLabel(/^Lane bits/).fill("4");
    await complains(page, /at most 53/);
    expect(await findings(page)).toEqual([]);
    await page.goto(`${service.url}/#/keys`);
    await page.getByLabel("admin").check();
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("button", { name: "I have it" }).waitFor();
    await page
      .getByRole("button", { name: /^Revoke/ })
      .first()
      .click();
    expect(await findings(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  });
});

describe("HTML from the address and the server stays text", () => {
  it.each([
    `#/decode/${encodeURIComponent(EVIL)}/${encodeURIComponent(EVIL)}?encoding=${encodeURIComponent(EVIL)}`,
    `#/decode/twitter/${encodeURIComponent(EVIL)}`,
    `#/decode/twitter/${EVIL}`,
    `#/range/${encodeURIComponent(EVIL)}?from=${encodeURIComponent(EVIL)}&until=${EVIL}`,
    `#/range/default?from=${encodeURIComponent(EVIL)}`,
    `#/get/${encodeURIComponent(EVIL)}`,
    `#/shards/${encodeURIComponent(EVIL)}`,
    `#/leases/${encodeURIComponent(EVIL)}`,
    `#/${encodeURIComponent(EVIL)}/${EVIL}`,
    "#/decode/%E0%A4%A/%",
    "#/__proto__/constructor?toString=1",
  ])("%s", async (address) => {
    const page = await browser.open(`${service.url}/${address}`);
    await page.waitForTimeout(SETTLED_MS);
    await expectNoHtml(page);
  });

  it("typed as a name, a key text and a namespace", async () => {
    const page = await browser.open(`${service.url}/#/get/default`);
    for (const field of await page.locator("main input[type=text]").all()) await field.fill(EVIL);
    await page.getByRole("button", { name: "Get", exact: true }).click();
    await complains(page, /name is a letter/);
    expect(await page.locator("pre").first().innerText()).toContain("onerror");
    await expectNoHtml(page);
    await page.goto(`${service.url}/#/design`);
    await page.getByLabel("Name", { exact: true }).fill(EVIL);
    await page.getByRole("button", { name: "Create it" }).click();
    await complains(page, /name is a letter/);
    await expectNoHtml(page);
  });

  it("as the holder of a lease and the name of a key", async () => {
    await service.ask("/v1/leases/js53", "POST", { holder: EVIL, ttlMs: 60_000 });
    await service.ask("/v1/keys", "POST", { name: EVIL, scopes: ["issue"] });
    for (const address of ["#/leases/js53", "#/keys"]) {
      const page = await browser.open(`${service.url}/${address}`);
      await page.getByText(EVIL).first().waitFor();
      await expectNoHtml(page);
    }
  });

  it("as any text of an answer", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    const status = { shard: 0, region: EVIL, lanes: [], fault: { code: EVIL, detail: EVIL } };
    const answers: [string, number, unknown][] = [
      [
        "**/v1/shards/**",
        200,
        { shards: [status, { shard: 1, counters: { refusals: { [EVIL]: 2 } } }] },
      ],
      ["**/v1/keys*", 503, { detail: EVIL, code: EVIL, retryAfterMs: EVIL }],
      ["**/v1/ids/**", 400, { code: EVIL, detail: EVIL }],
    ];
    for (const [url, code, body] of answers) {
      await page.route(url, (route) => route.fulfill({ status: code, json: body }));
    }
    for (const address of ["#/shards/default", "#/keys", "#/get/default"]) {
      await page.goto(`${service.url}/${address}`);
      if (address.startsWith("#/get")) {
        await page.getByRole("button", { name: "Get", exact: true }).click();
      }
      await page.getByText(EVIL).first().waitFor();
      await expectNoHtml(page);
    }
  });
});

describe("an answer that is none", () => {
  it.each(["null", "[]", "7", "<html>", '{"shards":{"0":1},"keys":[null,1]}'])(
    "%s",
    async (body) => {
      const page = await browser.open(`${service.url}/#/decode`);
      await page.route("**/v1/**", (route) => route.fulfill({ status: 200, body }));
      for (const { address } of SECTIONS) {
        await page.goto(`${service.url}/${address}`);
        await page.waitForTimeout(50);
        await expectPlainWords(page);
      }
    },
  );
});
