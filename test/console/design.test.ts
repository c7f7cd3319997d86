/** A layout is designed. Needs `npm run build` before. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { presetOf } from "../core/vectors.ts";
import { TestBrowser } from "./browser.ts";
import { alerts, cell, complains, eventually, expectPlainWords } from "./pages.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

async function slide(page: Page, label: RegExp, value: number): Promise<void> {
  await page.getByLabel(label).fill(`${value}`);
}

describe("Design", () => {
  it("a layout is designed, created, and gives IDs", async () => {
    const page = await browser.open(`${service.url}/#/design`);
    await slide(page, /^Datacenter bits/, 3);
    await slide(page, /^Worker bits/, 5);
    await slide(page, /^Lane bits/, 2);
    await page.getByLabel("A further lane is used").selectOption("back");
    await page.getByLabel("Lane’s place").selectOption("aboveWorker");
    await page.getByLabel("Epoch (UTC").fill("2024-02-29");
    expect(await cell(page, "Runs out")).toMatch(/^2093-\d\d-\d\d, in \d+ years$/);
    expect(await cell(page, "IDs per second and shard")).toBe("4,096,000");
    expect(await cell(page, "IDs per second in all")).toBe(
      "32,768,000; with all shards 524,288,000",
    );
    await page.getByLabel(/^Shards/).fill("100");
    await page.getByLabel(/^Regions/).fill("weur, apac");
    expect(await cell(page, "IDs per second in all")).toMatch(/^409,600,000;/);
    expect(await cell(page, "Shards")).toBe("100; 8 unless asked for, at most 128");
    expect(await cell(page, "In JavaScript")).toMatch(/^not safe/);
    expect(await page.locator(".bits .field").count()).toBe(5);
    const body: unknown = JSON.parse(await page.locator("pre").innerText());
    await page.getByLabel("Name", { exact: true }).fill("designed");
    await page.getByRole("button", { name: "Create it" }).click();
    await page.getByText("The namespace designed is there.").waitFor();
    expect(body).toMatchObject({ shards: 100, regions: ["weur", "apac"] });
    expect(await service.ask("/v1/namespaces/designed")).toMatchObject(body as object);
    await page.getByRole("link", { name: "Get an ID" }).click();
    await page.getByRole("button", { name: "Get", exact: true }).click();
    await page.locator(".ids a").click();
    await eventually(async () => expect(await cell(page, "lane")).toMatch(/^0/));
    await expectPlainWords(page);
  });

  it("says which limits it meets, and why", async () => {
    const page = await browser.open(`${service.url}/#/design`);
    await slide(page, /^Timestamp bits/, 45);
    await complains(page, /timestampBits \+ sequenceBits take at most 53.*at most 63 bits/s);
    expect(await cell(page, "timestamp + sequence")).toMatch(/4 too many: 57 of 53.*exact number/);
    expect(await cell(page, "all fields")).toMatch(/4 too many: 67 of 63.*64-bit/);
    expect(await page.getByRole("button", { name: "Create it" }).count()).toBe(0);
  });

  it("says what is safe in JavaScript, and of an epoch ahead and a time that is over", async () => {
    const page = await browser.open(`${service.url}/#/design`);
    await page.getByLabel("Begin with").selectOption("js53");
    expect(await cell(page, "In JavaScript")).toMatch(/^safe/);
    // Two lanes of 65,536 a second.
    expect(await cell(page, "IDs per second and shard")).toBe("131,072");
    await page.getByLabel("Epoch (UTC").fill("2124-01-01");
    expect(await cell(page, "Begins")).toMatch(/clock_before_epoch/);
    await page.getByLabel("Epoch (UTC").fill("1970-01-01");
    await slide(page, /^Timestamp bits/, 20);
    expect(await cell(page, "Runs out")).toMatch(/^1970-01-13: that is over/);
    await page.getByLabel("Epoch (UTC").fill("yesterday");
    await complains(page, /An epoch is unix ms/);
    // Not the epoch from before: a layout never changes.
    expect(await page.getByRole("button", { name: "Create it" }).count()).toBe(0);
    await page.getByLabel("Epoch (UTC").fill(" 2025-01-01 ");
    expect(await cell(page, "Begins")).toBe("2025-01-01T00:00:00.000Z");
    expect(await alerts(page)).toBe("");
  });

  it("says how many shards there can be, and which regions there are", async () => {
    const page = await browser.open(`${service.url}/#/design`);
    await page.getByLabel("Begin with").selectOption("js53");
    await page.getByLabel(/^Shards/).fill("9");
    await complains(page, /shards takes a whole number from 1 to 8/);
    expect(await cell(page, "shards")).toMatch(/1 too many: 9 of 8 shards.*lower half/);
    expect(await page.getByRole("button", { name: "Create it" }).count()).toBe(0);
    await page.getByLabel(/^Shards/).fill("8");
    await page.getByLabel(/^Regions/).fill("weur, mars");
    await complains(page, /regions take 1 to 32 of wnam/);
    await page.getByLabel(/^Regions/).fill("");
    expect(await page.getByRole("button", { name: "Create it" }).count()).toBe(1);
    await expectPlainWords(page);
  });

  it("reads IDs of published layouts, and an address of it can be shared", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    await page.getByRole("link", { name: "Discord" }).click();
    await page.getByLabel("An ID to read with it").fill("175928847299117063");
    expect(await cell(page, "time")).toContain("2016-04-30T11:18:25.796Z UTC");
    expect(await cell(page, "worker")).toMatch(/^0 /);
    expect(await cell(page, "datacenter")).toMatch(/^1 /);
    expect(await cell(page, "sequence")).toMatch(/^7 /);
    // The picture goes along with the sliders.
    await slide(page, /^Sequence bits/, 11);
    await eventually(async () => expect(await cell(page, "sequence")).toMatch(/^7 11 bits/));
    await slide(page, /^Sequence bits/, 12);
    await page.getByLabel("Encoding").selectOption("base36");
    await page.getByLabel("An ID to read with it").fill("1c4bc6odj4zb");
    await page.waitForURL(/\/1c4bc6odj4zb\?.*base36/);
    const other = await browser.open(page.url());
    expect(await cell(other, "decimal")).toBe("175933832063257847");
    expect(await cell(other, "Begins")).toBe("2015-01-01T00:00:00.000Z");
    expect(browser.paths.filter((path) => path.startsWith("/v1/"))).toEqual([]);
  });

  it("an address is not changed as often as a slider moves, nor once another view is there", async () => {
    const page = await browser.open(`${service.url}/#/design`);
    await page.evaluate(async () => {
      const slider = document.querySelector<HTMLInputElement>("input[type=range]");
      const replace = history.replaceState.bind(history);
      let changes = 0;
      history.replaceState = (...args) => {
        changes += 1;
        document.body.dataset.changes = `${changes}`;
        replace(...args);
      };
      for (let day = 0; day < 100 && slider; day += 1) {
        slider.value = `${day}`;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        // So that each is drawn.
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    });
    await page.waitForURL(/epoch=8553600000&/);
    const changes = Number(await page.locator("body").getAttribute("data-changes"));
    expect(changes).toBeGreaterThan(0);
    // Far more than a machine that stalls now and then makes of it.
    expect(changes).toBeLessThan(50);
    await slide(page, /^Sequence bits/, 9);
    await page.getByRole("link", { name: "Range" }).click();
    await page.waitForTimeout(500);
    expect(page.url()).toMatch(/#\/range/);
  });

  it("reads times past what a number holds exactly", async () => {
    const address = "#/design/9007199254740991?bits=53.0.0.0.0&tick=1000&epoch=1";
    const page = await browser.open(`${service.url}/${address}`);
    expect(await cell(page, "unix ms")).toBe("9007199254740991001");
    expect(await cell(page, "time")).toBe("past the year 275760");
  });

  it("leaves a namespace alone that is there already", async () => {
    const { spec } = presetOf("default");
    const policy = { maxBorrowMs: 7 };
    await service.ask("/v1/namespaces/mine", "PUT", { kind: "snowflake", layout: spec, policy });
    const page = await browser.open(`${service.url}/#/design`);
    await page.getByLabel("Name", { exact: true }).fill("mine");
    await page.getByRole("button", { name: "Create it" }).click();
    await complains(page, /There is a namespace mine already/);
    expect(await service.ask("/v1/namespaces/mine")).toMatchObject({ policy });
  });

  it("says why a name cannot be, or is taken", async () => {
    const page = await browser.open(`${service.url}/#/design`);
    for (const [name, why] of [
      ["", /name is a letter/],
      ["no spaces", /name is a letter/],
      ["twitter", /Built-in/],
    ] as const) {
      await page.getByLabel("Name", { exact: true }).fill(name);
      await page.getByRole("button", { name: "Create it" }).click();
      await complains(page, why);
    }
  });
});
