/** Decode, Range and Get, as people read them off the page. Needs `npm run build` before. */
import { describe, expect, it } from "vitest";
import { ENCODINGS, encode } from "../../src/core/codec.ts";
import { PRESETS } from "../../src/core/presets.ts";
import { VECTORS } from "../core/vectors.ts";
import { TestBrowser } from "./browser.ts";
import { alerts, cell, complains, eventually, expectPlainWords } from "./pages.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

const OF_PRESETS = VECTORS.flatMap((vector) => {
  const [name] = [...PRESETS].find(([, { layout }]) => layout === vector.layout) ?? [];
  return name === undefined ? [] : [{ ...vector, name }];
});

const TWEET = 1541815603606036480n;

describe("Decode", () => {
  it.each(OF_PRESETS)("the golden vector $title, with no request", async (vector) => {
    const { name, id, unixMs, parts } = vector;
    const page = await browser.open(`${service.url}/#/decode/${name}/${id}`);
    expect(await cell(page, "time")).toContain(`${new Date(unixMs).toISOString()} UTC`);
    expect(await cell(page, "unix ms")).toBe(`${unixMs}`);
    for (const [field, value] of Object.entries(parts)) {
      expect((await cell(page, field)).split(/\s/)[0], field).toBe(`${value}`);
    }
    for (const encoding of ENCODINGS) {
      expect(await cell(page, encoding)).toBe(encode(id, encoding));
    }
    expect(browser.paths.filter((path) => path.startsWith("/v1/"))).toEqual([]);
  });

  it("shows the bits by field, each with its width and value", async () => {
    const page = await browser.open(`${service.url}/#/decode/twitter/${TWEET}`);
    const fields = await page.locator(".bits .field").allInnerTexts();
    const words = fields.map((text) => text.replace(/\s+/g, " ").trim());
    expect(words.map((text) => /[a-z]+ \d+ bits? \d+$/.exec(text)?.[0])).toEqual([
      "timestamp 41 bits 367597485448",
      "datacenter 5 bits 11",
      "worker 5 bits 26",
      "sequence 12 bits 0",
    ]);
    const bits = words.map((text) => text.split(" timestamp")[0]).join("");
    expect(bits.replace(/[^01 ]/g, "").length).toBeGreaterThan(0);
    const digits = await page.locator(".bits i").allInnerTexts();
    expect(BigInt(`0b${digits.join("")}`)).toBe(TWEET);
    const colours = await page.locator(".bits .field").evaluateAll((all) => {
      return all.map((one) => getComputedStyle(one).backgroundColor);
    });
    expect(new Set(colours).size).toBe(4);
  });

  it("says the time here and relative to now", async () => {
    const page = await browser.open(`${service.url}/#/decode/twitter/${TWEET}`);
    // 16:07:40 UTC; Vienna has summer time then.
    expect(await cell(page, "time")).toMatch(/28 Jun 2022.*18:07:40\.105.*\d+ years? ago/s);
  });

  it.each(ENCODINGS.map((encoding) => [encoding]))(
    "guesses %s, and takes it in a shared address",
    async (encoding) => {
      const text = encode(TWEET, encoding);
      const page = await browser.open(`${service.url}/#/decode/twitter`);
      await page.getByLabel("ID", { exact: true }).fill(` ${text} `);
      await eventually(async () => expect(await cell(page, "decimal")).toBe(`${TWEET}`));
      expect(await page.locator("main").innerText()).toContain(`Read as ${encoding}, guessed`);
      expect(page.url()).toBe(`${service.url}/#/decode/twitter/${text}`);
      await page.getByLabel("Encoding").selectOption(encoding);
      const shared = page.url();
      expect(shared).toContain(`encoding=${encoding}`);
      const other = await browser.open(shared);
      expect(await cell(other, "decimal")).toBe(`${TWEET}`);
      expect(await other.locator("main").innerText()).toContain(`Read as ${encoding}.`);
    },
  );

  it.each([
    ["-5", /no ID in any encoding/],
    ["1541815603606036480 7", /no ID in any encoding/],
    ["99999999999999999999999", /no ID in any encoding/],
    ["<img src=x onerror=alert(1)>", /no ID in any encoding/],
  ])("says why %s is none", async (text, why) => {
    const page = await browser.open(`${service.url}/#/decode/twitter`);
    await page.getByLabel("ID", { exact: true }).fill(text);
    await complains(page, why);
    await expectPlainWords(page);
  });

  it("says why a number is none of that layout, and what an encoding takes", async () => {
    const page = await browser.open(
      `${service.url}/#/decode/js53/9007199254740992?encoding=decimal`,
    );
    expect(await alerts(page)).toMatch(/no ID of this namespace, whose IDs have 53 bits/);
    await page.getByLabel("Encoding").selectOption("hex");
    await page.getByLabel("ID", { exact: true }).fill("XYZ");
    await complains(page, /no ID as hex, which takes 1 to 16 digits 0-9a-f/);
  });

  it("says what a namespace is called, and that there is none of a name", async () => {
    const page = await browser.open(`${service.url}/#/decode/..%2F/1`);
    expect(await alerts(page)).toMatch(/A namespace’s name is a letter/);
    expect(browser.paths.filter((path) => path.startsWith("/v1/"))).toEqual([]);
    await page.getByLabel("Namespace").fill("nowhere");
    await complains(page, /There is no namespace of that name/);
  });

  it("copies", async () => {
    const page = await browser.open(`${service.url}/#/decode/twitter/${TWEET}`);
    const copy = page.getByRole("button", { name: "Copy as base62" });
    await copy.click();
    await eventually(async () => expect(await copy.innerText()).toBe("Copied"));
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(encode(TWEET, "base62"));
  });

  it("an address of an encoding that there is not is guessed", async () => {
    const page = await browser.open(`${service.url}/#/decode/twitter/${TWEET}?encoding=number`);
    expect(await page.locator("main").innerText()).toContain("Read as decimal, guessed");
    expect(await page.getByLabel("Encoding").inputValue()).toBe("guessed");
  });

  it("copies without a clipboard, as on a page without https", async () => {
    const page = await browser.open(`${service.url}/#/decode/twitter/${TWEET}`);
    await page.evaluate(() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
    });
    const copy = page.getByRole("button", { name: "Copy as hex" });
    await copy.click();
    await eventually(async () => expect(await copy.innerText()).toBe("Copied"));
    expect(await page.locator("textarea").count()).toBe(0);
  });

  it("follows an address that is typed over", async () => {
    const page = await browser.open(`${service.url}/#/decode/twitter/${TWEET}`);
    await page.goto(`${service.url}/#/decode/js53/52727434510337`);
    await eventually(async () => expect(await cell(page, "decimal")).toBe("52727434510337"));
    await page.goBack();
    await eventually(async () => expect(await cell(page, "decimal")).toBe(`${TWEET}`));
  });
});

describe("Range", () => {
  it("gives the service's own first and last ID, and SQL", async () => {
    const times = "from=2026-01-31T12:00Z&until=2026-02-01";
    const { first, last } = await service.ask(`/v1/range/twitter?${times}`);
    const page = await browser.open(`${service.url}/#/range/twitter?${times}`);
    expect(await cell(page, "first")).toBe(first);
    expect(await cell(page, "last")).toBe(last);
    expect(await cell(page, "SQL")).toBe(`WHERE id BETWEEN ${first} AND ${last}`);
    await page.getByRole("button", { name: "Copy the SQL condition" }).click();
    await eventually(async () => {
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toBe(`WHERE id BETWEEN ${first} AND ${last}`);
    });
    const shared = page.url();
    expect(await cell(await browser.open(shared), "first")).toBe(first);
  });

  it.each([
    ["soon", "2026-01-01", /A time is unix ms/],
    ["2026-02-30", "2026-03-01", /A time is unix ms/],
    ["2026-02-01", "2026-01-01", /takes a time after/],
    ["2001-01-01", "2002-01-01", /before this layout’s epoch/],
    ["2200-01-01", "2201-01-01", /time has run out/],
  ])("%s to %s: says why not", async (from, until, why) => {
    const page = await browser.open(`${service.url}/#/range/twitter`);
    await page.getByLabel("From").fill(from);
    await page.getByLabel("Until").fill(until);
    await complains(page, why);
    await expectPlainWords(page);
  });
});

describe("Get", () => {
  it("an ID, which opens in Decode", async () => {
    const page = await browser.open(`${service.url}/#/get/js53`);
    await page.getByLabel("Count").fill("3");
    await page.getByLabel("Encoding").selectOption("base58");
    await page.getByRole("button", { name: "Get", exact: true }).click();
    const links = page.locator(".ids a");
    await eventually(async () => expect(await links.count()).toBe(3));
    const id = await links.nth(2).innerText();
    await links.nth(2).click();
    await eventually(async () => expect(await cell(page, "base58")).toBe(id));
    const decoded = await service.ask(`/v1/decode/js53/${id}?encoding=base58`);
    expect(await cell(page, "decimal")).toBe(decoded.id);
    expect(await cell(page, "time")).toContain(`${decoded.time}`);
  });

  it("the lines that do the same: the curl line does", async () => {
    const page = await browser.open(`${service.url}/#/get/default`);
    await page.getByLabel("Count").fill("2");
    await page.getByLabel("Key (its").fill('user "17" & $HOME');
    const lines = await page.locator("pre").allInnerTexts();
    const url = /^curl "(http[^"]+)"$/.exec(lines[0] ?? "")?.[1] ?? "";
    expect(await (await fetch(url)).json()).toMatchObject({
      ids: [/\d/, /\d/].map(() => expect.any(String)),
    });
    expect(new URL(url).searchParams.get("key")).toBe('user "17" & $HOME');
    expect(url).not.toMatch(/[$"`!\\ ]/);
    expect(lines[1]).toContain('await ids.take(2, { key: "user \\"17\\" & $HOME" });');
    expect(lines[2]).toContain('env.IDS.nextIds("default", 2, { key: "user \\"17\\" & $HOME" });');
  });

  it.each(["", "0", "10001", "1.5", "007"])("a count of %j: says what it takes", async (count) => {
    const page = await browser.open(`${service.url}/#/get/default`);
    await page.getByLabel("Count").fill(count);
    await page.getByRole("button", { name: "Get", exact: true }).click();
    await complains(page, /Count takes a whole number from 1 to 10,000/);
    await expectPlainWords(page);
  });

  it("says what the service refuses", async () => {
    const page = await browser.open(`${service.url}/#/get/default`);
    await page.getByLabel("Encoding").selectOption("number");
    await page.getByRole("button", { name: "Get", exact: true }).click();
    await complains(page, /53 bits/);
  });
});
