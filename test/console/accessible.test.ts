/** What readers need beyond what axe-core can judge: screen readers, and large text. Needs `npm run build` before. */
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import { eventually, overflow, SECTIONS } from "./pages.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

/** What is said of a field after its name: that it is wrong, and why. */
async function complaintOf(field: Locator): Promise<string> {
  return await field.evaluate((one) => {
    if (one.getAttribute("aria-invalid") !== "true") return "";
    return document.getElementById(one.getAttribute("aria-describedby") ?? "")?.textContent ?? "";
  });
}

async function expectComplaint(page: Page, label: string, words: RegExp): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  await eventually(async () => expect(await complaintOf(field)).toMatch(words));
}

describe("what is wrong with a field is tied to it", () => {
  it.each([
    ["#/decode/twitter/-1", "ID", /no ID in any encoding/],
    ["#/decode/no%2Fname", "Namespace", /name is a letter/],
    ["#/decode/nowhere", "Namespace", /no namespace of that name/],
    ["#/range/no%2Fname", "Namespace", /name is a letter/],
    ["#/range/default?from=x&until=2026-01-01", "From", /A time is unix ms/],
    ["#/range/default?from=2026-01-01&until=x", "Until (not included)", /A time is unix ms/],
    ["#/shards/no%2Fname", "Namespace", /name is a letter/],
    ["#/leases/no%2Fname", "Namespace", /name is a letter/],
  ])("%s: %s", async (address, label, words) => {
    const page = await browser.open(`${service.url}/${address}`);
    await expectComplaint(page, label, words);
    const others = page.locator('main [aria-invalid="true"]');
    expect(await others.count()).toBe(1);
  });

  it.each([
    ["#/get/default", "Count", "x", "Get", /Count takes/],
    ["#/get/default", "Namespace", "no/name", "Get", /name is a letter/],
    ["#/design", "Epoch (UTC, or unix ms)", "x", undefined, /An epoch is/],
    ["#/design", "Name", "no/name", "Create it", /name is a letter/],
    ["#/leases/default", "Worker ID", "x", "Release", /whole number/],
    ["#/keys", "Only for these namespaces", "no/name", "Create", /no name of a namespace/],
    ["#/keys", "Until (UTC)", "x", "Create", /Until takes/],
    ["#/decode", "API key", "a b", "Use", /letters, digits/],
  ] as const)("%s: %s", async (address, label, text, button, words) => {
    const page = await browser.open(`${service.url}/${address}`);
    const field = page.getByLabel(label, { exact: true });
    // A number's field takes no letters.
    if (label === "Count") await field.fill("0");
    else await field.fill(text);
    if (button) await page.getByRole("button", { name: button, exact: true }).click();
    await expectComplaint(page, label, words);
    expect(await page.locator('[aria-invalid="true"]').count()).toBe(1);
  });
});

describe("pictures", () => {
  it("of bits say widths and values", async () => {
    const page = await browser.open(`${service.url}/#/decode/twitter/1541815603606036480`);
    const words =
      "63 bits, from the most significant: timestamp 367597485448 in 41 bits, datacenter 11 in 5 bits, worker 26 in 5 bits, sequence 0 in 12 bits";
    await page.getByRole("img", { name: words, exact: true }).waitFor();
    await page.goto(`${service.url}/#/design`);
    const widths = "timestamp in 41 bits, worker in 10 bits, sequence in 12 bits";
    await page.getByRole("img", { name: widths }).waitFor();
  });

  it("of bits show each of them in a box of its own", async () => {
    const page = await browser.open(`${service.url}/#/decode/twitter/1541815603606036480`);
    const bits = page.locator(".bits i");
    expect(await bits.count()).toBe(63);
    const sizes = await bits.evaluateAll((all) => all.map((one) => one.clientWidth));
    expect(new Set(sizes).size).toBe(1);
    expect(sizes[0]).toBeGreaterThan(0);
  });

  it("of values say them", async () => {
    const page = await browser.open(`${service.url}/#/shards/default`);
    const chart = page.getByRole("img", { name: /^furthest lead/ });
    await chart.waitFor();
    expect(await chart.getAttribute("aria-label")).toMatch(
      /^furthest lead: (one value|\d+ values) from \S+ m?s to \S+ m?s, the lowest \S+ m?s, the highest \S+ m?s$/,
    );
  });

  it("of values are a line from the first value on", async () => {
    const page = await browser.open(`${service.url}/#/shards/default`);
    const line = page.locator(".chart polyline").first();
    await line.waitFor({ state: "attached" });
    expect((await line.getAttribute("points"))?.split(" ").length).toBeGreaterThan(1);
  });
});

describe("what is said by itself", () => {
  it("is how many IDs came, not each of them", async () => {
    const page = await browser.open(`${service.url}/#/get/default`);
    await page.getByLabel("Count").fill("3");
    const said = page.locator("main [role=status]").first();
    // It is there before it has something to say: else nothing is said.
    expect(await said.innerText()).toBe("");
    await page.getByRole("button", { name: "Get", exact: true }).click();
    await eventually(async () => expect(await said.innerText()).toBe("3 IDs of default:"));
    expect(await page.locator("[role=status] .ids").count()).toBe(0);
  });

  it("is nothing while shards are looked at again and again", async () => {
    const page = await browser.open(`${service.url}/#/shards/default`);
    await page.getByRole("img", { name: /^IDs\/s: 2 values/ }).waitFor();
    expect(await page.locator("main").locator("[role=status], [role=alert]").count()).toBe(0);
    expect(await page.locator("[aria-live]").count()).toBe(0);
  });
});

describe("tables, sliders and code", () => {
  it.each(SECTIONS)("$title: each table and each scrolled part has a name", async (section) => {
    await service.ask("/v1/leases/default", "POST", { holder: "pod-7" });
    await service.ask("/v1/keys", "POST", { name: "a key", scopes: ["issue"] });
    const page = await browser.open(`${service.url}/${section.address}`);
    await page.locator("main").getByText(section.sign).first().waitFor();
    const nameless = page.locator("table:not(:has(caption), [aria-label]), pre:not([aria-label])");
    expect(await nameless.count()).toBe(0);
  });

  it("a slider says its value in words, once", async () => {
    const page = await browser.open(`${service.url}/#/design`);
    const day = page.getByRole("slider", { name: "Epoch’s day", exact: true });
    expect(await day.getAttribute("aria-valuetext")).toBe("2025-01-01");
    await page.getByRole("slider", { name: "Lane bits", exact: true }).waitFor();
  });
});

describe("text twice as large", () => {
  it.each(SECTIONS)("$title: grows, and nothing is wider than the page", async (section) => {
    await service.ask("/v1/leases/default", "POST", { holder: "pod-7" });
    const page = await browser.open(`${service.url}/${section.address}`, { width: 375 });
    await page.locator("main").getByText(section.sign).first().waitFor();
    const size = await page.evaluate(() => {
      // As the browser's own setting does it.
      document.documentElement.style.fontSize = "200%";
      return getComputedStyle(document.body).fontSize;
    });
    expect(size).toBe("32px");
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  });
});
