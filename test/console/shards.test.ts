/** Shards, and a server that goes away. Needs `npm run build` before. */
import type { Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import { alerts, cell, complains, eventually, expectPlainWords } from "./pages.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

/** A load that goes on until the end of the test. */
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function load(path: string): void {
  let isOn = true;
  const done = (async () => {
    while (isOn) await service.ask(path).catch(() => undefined);
  })();
  ends.push(async () => {
    isOn = false;
    await done;
  });
}

/** Cells of a shard's row. */
async function shardRow(page: Page, shard: number): Promise<string[]> {
  const rows = page.locator("tbody tr").filter({
    has: page.getByRole("rowheader", { name: new RegExp(`^${shard}\\b`) }),
  });
  return (await rows.first().locator("td").allInnerTexts()).map((text) => text.trim());
}

describe("Shards", () => {
  it("move under load: IDs/s, lead, writes, charts", async () => {
    const page = await browser.open(`${service.url}/#/shards/default`);
    await eventually(async () => expect((await shardRow(page, 7)).length).toBe(6));
    load("/v1/ids/default?shard=3&count=100");
    await eventually(async () => {
      const [state = "", rate = "", , writes = "", issued = ""] = await shardRow(page, 3);
      expect(state).toBe("in step");
      expect(Number(rate.replaceAll(",", ""))).toBeGreaterThan(100);
      expect(Number(issued.replaceAll(",", ""))).toBeGreaterThan(1000);
      expect(writes).toMatch(/^[\d,]+$/);
    });
    const [, , , , before = ""] = await shardRow(page, 3);
    await eventually(async () => expect((await shardRow(page, 3))[4]).not.toBe(before));
    const charts = await page.locator(".chart").allInnerTexts();
    expect(charts.map((text) => text.split("\n")[0])).toEqual([
      "IDs/s",
      "furthest lead",
      "writes per million IDs",
      "refusals/s",
    ]);
    const points = await page.locator(".chart polyline").first().getAttribute("points");
    expect(points?.split(" ").length).toBeGreaterThan(1);
    await expectPlainWords(page);
  });

  it("refusals are told by code, and a saturated shard what to do", async () => {
    // Twitter's line never leads: 4,096 a ms.
    await service.ask("/v1/namespaces/tight", "PUT", {
      kind: "snowflake",
      layout: { timestampBits: 41, workerBits: 4, sequenceBits: 0 },
      policy: { maxBorrowMs: 0, maxStepBackMs: 0, maxWaitMs: 2 },
    });
    const page = await browser.open(`${service.url}/#/shards/tight`);
    for (let time = 0; time < 8; time += 1) load("/v1/ids/tight?shard=0&count=2");
    await eventually(async () => {
      const [state, , , , , refused] = await shardRow(page, 0);
      expect(state).toMatch(/^saturated.*more shards/s);
      expect(refused).toMatch(/shard_saturated [\d,]+/);
    });
  });

  it("are asked only while the page is visible, and at once when it is again", async () => {
    const page = await browser.open(`${service.url}/#/shards/default`);
    const looks = () => browser.paths.filter((path) => path === "/v1/shards/default").length;
    await eventually(async () => expect(looks()).toBeGreaterThan(1));
    await setVisible(page, false);
    // One may be under way.
    await page.waitForTimeout(500);
    const hidden = looks();
    await page.waitForTimeout(3000);
    expect(looks()).toBe(hidden);
    await setVisible(page, true);
    await eventually(async () => expect(looks()).toBeGreaterThan(hidden + 1));
  });

  it("more than 32 are shown page by page", async () => {
    await service.ask("/v1/namespaces/wide", "PUT", { kind: "snowflake", shards: 40 });
    const page = await browser.open(`${service.url}/#/shards/wide`);
    await eventually(async () => expect(await page.locator("tbody tr").count()).toBe(32));
    const table = page.getByRole("region", { name: "Shards" });
    await table.focus();
    const looks = () => browser.paths.filter((path) => path === "/v1/shards/wide").length;
    const before = looks();
    await eventually(async () => expect(looks()).toBeGreaterThan(before + 1));
    // It is drawn anew all the time, and scrolled with the keyboard.
    expect(await table.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.getByRole("button", { name: "Next page" }).click();
    await eventually(async () => expect((await shardRow(page, 39)).length).toBe(6));
    expect(await page.locator("tbody tr").count()).toBe(8);
    await page.getByRole("button", { name: "First page" }).click();
    await eventually(async () => expect((await shardRow(page, 31)).length).toBe(6));
  });

  it("a segment's use and step", async () => {
    await service.ask("/v1/namespaces/numbers", "PUT", { kind: "segment", step: 100, max: "1000" });
    await service.ask("/v1/ids/numbers?order=strict&count=500", "POST");
    const page = await browser.open(`${service.url}/#/shards/numbers`);
    await eventually(async () => expect(await cell(page, "used")).toBe("50.0 %"));
    expect(await cell(page, "step")).toMatch(/^100/);
    expect(await cell(page, "numbers")).toBe("1 to 1000");
    await service.ask("/v1/ids/numbers?order=strict&count=450", "POST");
    await page.getByText("nearly used up").waitFor();
    await service.ask("/v1/ids/numbers?order=strict&count=50", "POST");
    await page.getByText("Give it a larger max").waitFor();
    await eventually(async () => expect(await cell(page, "next number")).toBe("1001"));
    await expectPlainWords(page);
  });

  it("of a namespace that is not there: says so", async () => {
    const page = await browser.open(`${service.url}/#/shards/nowhere`);
    await complains(page, /There is no namespace of that name/);
    await page.getByLabel("Namespace").fill("no/where");
    await complains(page, /name is a letter/);
  });
});

describe("a server that goes away", () => {
  it("the page says so, and recovers", async () => {
    const page = await browser.open(`${service.url}/#/shards/default`);
    await eventually(async () => expect((await shardRow(page, 0)).length).toBe(6));
    const { port } = service;
    await service.crash();
    await complains(page, /The service does not answer/);
    expect(await page.locator("main").innerText()).toContain("was so when it answered last");
    expect((await shardRow(page, 0)).length).toBe(6);
    // Another section, opened while it is away.
    await page.getByRole("link", { name: "Leases" }).click();
    await complains(page, /The service does not answer/);
    await service.start(port);
    await eventually(async () => expect(await alerts(page)).toBe(""));
    await page.getByText("none of them was leased yet").waitFor();
    await page.getByRole("link", { name: "Shards" }).click();
    await eventually(async () => expect((await shardRow(page, 0)).length).toBe(6));
    expect(await alerts(page)).toBe("");
  });
});

/** As when another tab is looked at: a headless browser has none in front. */
async function setVisible(page: Page, isVisible: boolean): Promise<void> {
  await page.evaluate(
    (state) => {
      Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    },
    isVisible ? "visible" : "hidden",
  );
}
