/** A layout is designed. Needs `npm run build` before. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import { cell, complains, eventually, expectPlainWords } from "./pages.ts";
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
    expect(await cell(page, "IDs per second in all")).toMatch(/^524,288,000/);
    expect(await cell(page, "Shards")).toBe("8 unless asked for, at most 128");
    expect(await cell(page, "In JavaScript")).toMatch(/^not safe/);
    expect(await page.locator(".bits .field").count()).toBe(5);
    const body: unknown = JSON.parse(await page.locator("pre").innerText());
    await page.getByLabel("Name", { exact: true }).fill("designed");
    await page.getByRole("button", { name: "Create it" }).click();
    await page.getByText("The namespace designed is there.").waitFor();
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
