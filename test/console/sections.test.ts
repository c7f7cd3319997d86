/**
 * The purpose of Decode, Range, Get, Design and /docs. Needs `npm run build` before.
 * @module-tag long
 */
import { describe, expect, it } from "vitest";
import { ENCODINGS, encode } from "../../src/core/codec.ts";
import { presetOf } from "../core/vectors.ts";
import { TestBrowser } from "./browser.ts";
import {
  alerts,
  button,
  cell,
  complains,
  eventually,
  expectCell,
  expectCount,
  expectFocus,
  expectNoComplaint,
  expectPlainWords,
} from "./pages.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

const TWEET = 1541815603606036480n;
const AT_TWEET = `#/decode/twitter/${TWEET}`;

const clipboard = () => navigator.clipboard.readText();

describe("Decode", () => {
  it("decodes a pasted ID of any encoding, and puts it into an address that can be shared", async () => {
    const page = await browser.open(`${service.url}/#/decode/twitter`);
    for (const encoding of ENCODINGS) {
      const text = encode(TWEET, encoding);
      await page.getByLabel("ID", { exact: true }).fill(` ${text} `);
      await page.getByText(`Read as ${encoding}, auto-detected`).waitFor();
      await expectCell(page, "decimal", `${TWEET}`);
      expect(page.url()).toBe(`${service.url}/#/decode/twitter/${text}`);
    }
    await page.getByLabel("Encoding").selectOption("base62");
    await page.waitForURL(/\?encoding=base62$/);
    await browser.open(page.url());
    await expectCell(page, "decimal", `${TWEET}`);
    expect(await page.locator("main").innerText()).toContain("Read as base62.");
    expect(browser.asked.filter((path) => path !== "/v1/namespaces")).toEqual([]);
  });

  it("shows each bit in a box of its own, and the time in the browser's zone", async () => {
    const page = await browser.open(`${service.url}/${AT_TWEET}`);
    const sizes = await page.locator(".bits i").evaluateAll((all) => {
      return all.map((one) => one.clientWidth);
    });
    expect([sizes.length, new Set(sizes).size]).toEqual([63, 1]);
    expect(sizes[0]).toBeGreaterThan(0);
    const colours = await page.locator(".bits .field").evaluateAll((all) => {
      return all.map((one) => getComputedStyle(one).backgroundColor);
    });
    expect(new Set(colours).size).toBe(4);
    // 16:07:40 UTC; Vienna has summer time then.
    expect(await cell(page, "time")).toMatch(/28 Jun 2022.*18:07:40\.105.*\d+ years? ago/s);
  });

  it("copies, also without a clipboard, as on a page without https", async () => {
    const page = await browser.open(`${service.url}/${AT_TWEET}`);
    await button(page, "Copy as base62").click();
    await page.getByText("Copied").first().waitFor();
    expect(await page.evaluate(clipboard)).toBe(encode(TWEET, "base62"));
    await page.evaluate(() => {
      document.addEventListener("copy", () => {
        document.body.dataset.copied = `${getSelection()}`;
      });
      Object.defineProperty(navigator, "clipboard", { value: undefined });
    });
    await button(page, "Copy as hex").click();
    await page.locator(`[data-copied="${encode(TWEET, "hex")}"]`).waitFor();
    await expectCount(page.locator("textarea"), 0);
  });

  it("follows a changed address, and steps in the history", async () => {
    const page = await browser.open(`${service.url}/${AT_TWEET}`);
    await page.goto(`${service.url}/#/decode/js53/52727434510337`);
    await expectCell(page, "decimal", "52727434510337");
    await page.goBack();
    await expectCell(page, "decimal", `${TWEET}`);
  });

  it("says that no namespace has the name, at its field", async () => {
    const page = await browser.open(`${service.url}/#/decode/nowhere`);
    await complains(page, /There is no namespace/);
    const field = page.locator('[aria-invalid="true"][aria-describedby="namespace-problem"]');
    await expectCount(field, 1);
    await page.getByLabel("Namespace").fill("no/where");
    await complains(page, /A namespace’s name is a letter/);
  });
});

describe("Range", () => {
  it("gives the service's own first and last ID, and SQL to copy", async () => {
    const times = "from=2026-01-31T12:00Z&until=2026-02-01";
    const { first, last } = await service.ask(`/v1/range/twitter?${times}`);
    const page = await browser.open(`${service.url}/#/range/twitter?${times}`);
    await expectCell(page, "first", `${first}`);
    await expectCell(page, "last", `${last}`);
    const sql = `WHERE id BETWEEN ${first} AND ${last}`;
    await expectCell(page, "SQL", sql);
    await button(page, "Copy the SQL condition").click();
    await eventually(async () => expect(await page.evaluate(clipboard)).toBe(sql));
    await page.getByLabel("From").fill("soon");
    await complains(page, /A time must be unix ms/);
    await expectCount(page.locator('[aria-invalid="true"]'), 1);
  });
});

describe("Overview", () => {
  it("calls no namespace healthy that it could not look at", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    const main = page.locator("main");
    const answer = Promise.withResolvers<void>();
    await page.route("**/v1/shards/**", async (route) => {
      await answer.promise;
      await route.fulfill({ status: 503, json: { code: "shard_unavailable", detail: "Down." } });
    });
    await page.goto(`${service.url}/#/`);
    await main.getByText(/^Checked 0 of \d+ namespaces so far/).waitFor();
    expect(await main.innerText()).not.toMatch(/Nothing\.|healthy|idle/);
    answer.resolve();
    await main.getByText(/^All namespaces are checked: /).waitFor();
    expect(await page.locator(".attention").innerText()).toMatch(/^default: unknown\. Down\./);
    expect(await main.innerText()).not.toMatch(/Nothing\.|healthy|idle/);
  });
});

describe("Request IDs", () => {
  it("gets IDs, says how many, and opens one in Decode", async () => {
    const page = await browser.open(`${service.url}/#/request/js53`);
    const said = page.locator("main [role=status]").first();
    // A status that appears with its text is not read out.
    expect(await said.innerText()).toBe("");
    await page.getByLabel("Count").fill("3");
    await page.getByLabel("Encoding").selectOption("base58");
    await button(page, "Request IDs").click();
    const links = page.locator(".ids a");
    await expectCount(links, 3);
    expect(await said.innerText()).toBe("3 IDs of js53:");
    const ids = await links.allInnerTexts();
    await button(page, "Copy all IDs, one per line").click();
    await eventually(async () => expect(await page.evaluate(clipboard)).toBe(ids.join("\n")));
    await links.nth(2).click();
    await expectCell(page, "base58", ids[2] ?? "");
    const decoded = await service.ask(`/v1/decode/js53/${ids[2]}?encoding=base58`);
    await expectCell(page, "decimal", `${decoded.id}`);
    expect(await cell(page, "time")).toContain(`${decoded.time}`);
  });

  it("copies the code that is shown for the chosen options", async () => {
    const page = await browser.open(`${service.url}/#/request/default`);
    await page.getByLabel("Key (its").fill('user "17" & $HOME');
    const [curl, client] = [page.locator("pre").nth(0), page.locator("pre").nth(1)];
    await eventually(async () => expect(await client.innerText()).toContain("$HOME"));
    expect(await curl.innerText()).toMatch(/^curl "http[^$"`!\\ ]*"$/);
    await button(page, "Copy the client line").click();
    const shown = (await client.innerText()).trim();
    await eventually(async () => expect(await page.evaluate(clipboard)).toBe(shown));
  });
});

describe("Design", () => {
  const slide = (page: Awaited<ReturnType<typeof browser.open>>, label: RegExp, value: number) =>
    page.getByLabel(label).fill(`${value}`);

  it("designs a layout and creates its namespace, which issues IDs", async () => {
    const page = await browser.open(`${service.url}/#/design`);
    await page.getByLabel("Preset").selectOption("none: a layout of your own");
    await slide(page, /^Datacenter bits/, 3);
    await slide(page, /^Worker bits/, 5);
    await slide(page, /^Lane bits/, 2);
    await page.getByLabel("A further lane is used").selectOption("back");
    await page.getByLabel("Lane’s place").selectOption("aboveWorker");
    await page.getByLabel("Epoch (UTC").fill("2024-02-29");
    await expectCell(page, "Runs out", /^2093-\d\d-\d\d, in \d+ years$/);
    await expectCell(page, "IDs per second and shard", "4,096,000");
    await page.getByLabel(/^Shards/).fill("100");
    await page.getByLabel(/^Regions/).fill("weur, apac");
    await expectCell(page, "IDs per second in total", /^409,600,000;/);
    await expectCount(page.locator(".bits .field"), 5);
    const body: object = JSON.parse(await page.locator("pre").innerText());
    await page.getByLabel("Name", { exact: true }).fill("designed");
    await button(page, "Create it").click();
    await page.getByText("The namespace designed is created.").waitFor();
    expect(body).toMatchObject({ shards: 100, regions: ["weur", "apac"] });
    expect(await service.ask("/v1/namespaces/designed")).toMatchObject(body);
    await page.getByRole("link", { name: "Request an ID" }).click();
    await page.getByLabel("Count").waitFor();
    await page.locator("main button[type=submit]").click();
    await page.locator(".ids a").click();
    await expectCell(page, "lane", /^0/);
    await expectPlainWords(page);
  });

  it("does not offer an invalid design, and recovers", async () => {
    const page = await browser.open(`${service.url}/#/design?tick=1`);
    const create = button(page, "Create it");
    await slide(page, /^Timestamp bits/, 45);
    await complains(page, /timestampBits \+ sequenceBits .*at most 53/);
    await expectCount(create, 0);
    await page.getByLabel("Begin with").selectOption("js53");
    await expectCell(page, "In JavaScript", /^safe/);
    await page.getByLabel("Epoch (UTC").fill("yesterday");
    await complains(page, /The epoch must be unix ms/);
    // Not the epoch from before: a layout never changes.
    await expectCount(create, 0);
    await page.getByLabel("Epoch (UTC").fill(" 2025-01-01 ");
    await expectNoComplaint(page);
    await expectCount(create, 1);
  });

  it("decodes IDs of published layouts, in an address that can be shared", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    await page.getByRole("link", { name: "Discord" }).click();
    await page.getByLabel("ID to decode with it").fill("175928847299117063");
    await expectCell(page, "sequence", /^7 12 bits/);
    expect(await cell(page, "time")).toContain("2016-04-30T11:18:25.796Z UTC");
    // The picture follows the sliders.
    await slide(page, /^Sequence bits/, 11);
    await expectCell(page, "sequence", /^7 11 bits/);
    await slide(page, /^Sequence bits/, 12);
    await page.getByLabel("Encoding").selectOption("base36");
    await page.getByLabel("ID to decode with it").fill("1c4bc6odj4zb");
    await page.waitForURL(/\/1c4bc6odj4zb\?.*base36/);
    await browser.open(page.url());
    await expectCell(page, "decimal", "175933832063257847");
    await expectCell(page, "Begins", "2015-01-01T00:00:00.000Z");
    expect(browser.asked).toEqual([]);
  });

  it("changes the address less often than a slider moves, and never after the section is left", async () => {
    const page = await browser.open(`${service.url}/#/design?tick=1`, { time: "clock" });
    await page.clock.pauseAt(Date.now() + 60_000);
    const changes = await page.evaluate(() => {
      const slider = document.querySelector<HTMLInputElement>("input[type=range]");
      const replace = history.replaceState.bind(history);
      const seen: unknown[] = [];
      history.replaceState = (...args) => {
        seen.push(args.at(-1));
        document.body.dataset.changes = `${seen.length}`;
        replace(...args);
      };
      for (let day = 0; day < 100 && slider; day += 1) {
        slider.value = `${day}`;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
      }
      return seen.length;
    });
    expect(changes).toBe(0);
    await page.clock.runFor(1000);
    expect(page.url()).toContain("epoch=8553600000&");
    expect(await page.locator("body").getAttribute("data-changes")).toBe("1");
    await slide(page, /^Sequence bits/, 9);
    await page.getByRole("link", { name: "Range" }).click();
    await page.getByRole("heading", { name: "Range" }).waitFor();
    await page.clock.runFor(1000);
    expect(page.url()).toMatch(/#\/range$/);
  });

  it("does not change a namespace that exists already", async () => {
    const { spec } = presetOf("default");
    const policy = { maxBorrowMs: 7 };
    await service.ask("/v1/namespaces/mine", "PUT", { kind: "snowflake", layout: spec, policy });
    await service.ask("/v1/namespaces/gone", "PUT", { kind: "segment" });
    await service.ask("/v1/namespaces/gone", "DELETE");
    const page = await browser.open(`${service.url}/#/design`);
    for (const [name, why] of [
      ["", /name is a letter/],
      ["no spaces", /name is a letter/],
      ["twitter", /Built-in/],
      ["mine", /The namespace mine exists already/],
      ["gone", /gone is retired/],
    ] as const) {
      await page.getByLabel("Name", { exact: true }).fill(name);
      await button(page, "Create it").click();
      await complains(page, why);
      expect(await alerts(page)).not.toContain("scope");
      await expectFocus(page.getByLabel("Name", { exact: true }));
    }
    expect(await service.ask("/v1/namespaces/mine")).toMatchObject({ policy });
  });
});
