/**
 * Shards and Leases as the service changes, goes away and comes back. Needs `npm run build` before.
 * @module-tag long
 */
import type { Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import {
  button,
  cell,
  complains,
  eventually,
  expectCell,
  expectCount,
  expectFocus,
  expectNoComplaint,
  expectPlainWords,
  flush,
  overflow,
  SECTIONS,
  setVisible,
} from "./pages.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

/** Longer than any section waits before it asks again. */
const LONG_MS = 60_000;

/** A load that continues until the end of the test. */
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
  const heading = page.getByRole("rowheader", { name: new RegExp(`^${shard}\\b`) });
  const cells = page.locator("tbody tr").filter({ has: heading }).first().locator("td");
  return (await cells.allInnerTexts()).map((text) => text.trim());
}

async function expectShard(page: Page, shard: number): Promise<void> {
  await eventually(async () => expect((await shardRow(page, shard)).length).toBe(6));
}

describe("Shards", () => {
  it("change under load, and screen readers do not announce it", async () => {
    const page = await browser.open(`${service.url}/#/shards/default`);
    await expectShard(page, 7);
    load("/v1/ids/default?shard=3&count=100");
    await eventually(async () => {
      const [state = "", rate = "", , writes = "", issued = ""] = await shardRow(page, 3);
      expect(state).toBe("in step");
      expect(Number(rate.replaceAll(",", ""))).toBeGreaterThan(0);
      expect(Number(issued.replaceAll(",", ""))).toBeGreaterThan(100);
      expect(writes).toMatch(/^[\d,]+$/);
    });
    const [, , , , before = ""] = await shardRow(page, 3);
    await eventually(async () => expect((await shardRow(page, 3))[4]).not.toBe(before));
    await page
      .getByRole("img", { name: /^IDs per second in the last 1 min: now [\d,]+\/s/ })
      .waitFor();
    await page.getByText(/^8 shards: .*in step/).waitFor();
    await expectCount(page.locator("main").locator("[role=status], [role=alert], [aria-live]"), 0);
    await expectPlainWords(page);
  });

  it("say that a shard is saturated, what to do, and what it rejected", async () => {
    await service.ask("/v1/namespaces/tight", "PUT", {
      kind: "snowflake",
      // One ID a second: the slowest load is too much.
      layout: { timestampBits: 32, workerBits: 4, sequenceBits: 0, tickMs: 1000 },
      policy: { maxBorrowMs: 0, maxStepBackMs: 0, maxWaitMs: 2 },
    });
    const page = await browser.open(`${service.url}/#/shards/tight`);
    load("/v1/ids/tight?shard=0");
    await eventually(async () => {
      const [state, , , , , refused] = await shardRow(page, 0);
      expect(state).toMatch(/^saturated.*more shards/s);
      expect(refused).toMatch(/shard_saturated [\d,]+/);
    });
  });

  it("render again without taking the focus from their table", async () => {
    const page = await browser.open(`${service.url}/#/shards/default`);
    const table = page.getByRole("region", { name: "Shards" });
    await table.focus();
    await page.getByRole("img", { name: /^IDs per second in the last/ }).waitFor();
    await expectFocus(table);
  });

  it("have charts with units and times; the span is chosen by keyboard; leaving keeps the history", async () => {
    const page = await browser.open(`${service.url}/#/shards/default`);
    const chart = (name: RegExp) => page.getByRole("img", { name });
    await chart(/^Largest lead in the last 1 min: now \d+ ms, lowest/).waitFor();
    for (const [name, unit] of [
      [/^IDs/, /^[\d,]+\/s$/],
      [/^Largest lead/, /^[\d,.]+ m?s$/],
      [/^Writes/, /^[\d,]+\/M$/],
      [/^Rejections/, /^[\d.]+\/s$/],
    ] as const) {
      const texts = await chart(name).locator("text").allTextContents();
      expect(texts.filter((text) => unit.test(text)).length).toBeGreaterThan(1);
      expect(texts.filter((text) => /^\d\d:\d\d:\d\d$/.test(text)).length).toBeGreaterThan(1);
    }
    const line = page.locator(".time-chart .line").first();
    const stroke = () => line.evaluate((one) => getComputedStyle(one).stroke);
    const light = await stroke();
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await stroke()).not.toBe(light);

    await page.getByLabel("Namespace").focus();
    await page.keyboard.press("Tab");
    await expectFocus(page.getByRole("radio", { name: "1 min", exact: true }));
    await page.keyboard.press("ArrowRight");
    await expectFocus(page.getByRole("radio", { name: "5 min", exact: true }));
    await chart(/^IDs per second in the last 5 min/).waitFor();
    expect(page.url()).toContain("span=5+min");

    await page.getByRole("link", { name: "Leases" }).click();
    await page.getByRole("heading", { name: "Leases" }).waitFor();
    let looks = 0;
    await page.route("**/v1/shards/**", (route) => {
      looks += 1;
      return looks > 1 ? undefined : route.continue();
    });
    await page.getByRole("link", { name: "Shards" }).click();
    // One look alone has no rate yet.
    await chart(/^IDs per second in the last 1 min: now/).waitFor();
    expect(looks).toBe(1);
  });

  it("of a segment show its use and step", async () => {
    await service.ask("/v1/namespaces/numbers", "PUT", { kind: "segment", step: 100, max: "1000" });
    await service.ask("/v1/ids/numbers?order=strict&count=500", "POST");
    const page = await browser.open(`${service.url}/#/shards/numbers`);
    await expectCell(page, "used", "50.0 %");
    expect(await cell(page, "step")).toMatch(/^100/);
    expect(await cell(page, "numbers")).toBe("1 to 1,000");
    await service.ask("/v1/ids/numbers?order=strict&count=450", "POST");
    await page.getByText("nearly used up").waitFor();
    await service.ask("/v1/ids/numbers?order=strict&count=50", "POST");
    await page.getByText("Raise the namespace’s max").waitFor();
    await expectCell(page, "next number", "1,001");
    await expectCell(page, "time left", "none");
    await expectPlainWords(page);
  });

  it("say that the namespace's definition can't be loaded", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    const json = { detail: "No registry." };
    await page.route("**/v1/namespaces/default", (route) => route.fulfill({ status: 503, json }));
    await page.goto(`${service.url}/#/shards/default`);
    await complains(page, /No registry\./);
    await page.unrouteAll();
    await expectShard(page, 7);
    await expectNoComplaint(page);
  });
});

describe("Leases", () => {
  it("are listed, revoked after a confirmation, and released with the token", async () => {
    const acquire = () =>
      service.ask("/v1/leases/leaf", "POST", { ttlMs: 600_000, holder: "pod-1" });
    const [first, second] = [await acquire(), await acquire()];
    const page = await browser.open(`${service.url}/#/leases/leaf`);
    await expectCell(page, `${first.worker}`, "held");
    await page.getByText(/^510 of 512 worker IDs .*are free/).waitFor();
    const state = (worker: unknown) =>
      page
        .locator("tr", { hasText: `${worker}` })
        .locator("td")
        .first();
    const expectState = (worker: unknown, is: RegExp) =>
      eventually(async () => expect(await state(worker).innerText()).toMatch(is));
    await button(page, `Revoke the lease of worker ID ${first.worker}`).click();
    await button(page, /^Yes, revoke/).waitFor();
    expect(await state(first.worker).innerText()).toBe("held");
    await button(page, /^Yes, revoke/).click();
    await expectState(first.worker, /^resting/);
    await page.getByText(`The lease of worker ID ${first.worker} is revoked.`).waitFor();

    const release = button(page, "Release");
    await release.click();
    await complains(page, /Worker ID must be an integer/);
    await page.getByRole("textbox", { name: "Worker ID" }).fill(`${second.worker}`);
    await page.getByRole("textbox", { name: "Token" }).fill("another-token");
    await release.click();
    await button(page, /^Yes, release/).click();
    await complains(page, /lease/);
    await expectState(second.worker, /^held$/);
    await page.getByRole("textbox", { name: "Token" }).fill(`${second.token}`);
    await release.click();
    await button(page, /^Yes, release/).click();
    await expectState(second.worker, /^resting/);
    await expectPlainWords(page);
  });

  it("are shown in pages, and another namespace begins at its first page", async () => {
    const layout = { timestampBits: 41, workerBits: 9, sequenceBits: 12 };
    await service.ask("/v1/namespaces/many", "PUT", { kind: "snowflake", layout });
    const acquire = () => service.ask("/v1/leases/many", "POST", { ttlMs: 600_000, holder: "pod" });
    const leases = await Promise.all(Array.from({ length: 105 }, acquire));
    const workers = leases.map(({ worker }) => Number(worker)).toSorted((one, two) => one - two);
    const page = await browser.open(`${service.url}/#/leases/many`);
    const rows = page.locator("tbody tr");
    await expectCount(rows, 100);
    const next = button(page, "Next page");
    await next.click();
    await expectCount(rows, 5);
    const shown = await page.getByRole("rowheader").allInnerTexts();
    expect(shown.map(Number)).toEqual(workers.slice(100));
    expect(await next.getAttribute("aria-disabled")).toBe("true");
    const last = rows.last();
    await last.getByRole("button", { name: /^Revoke/ }).click();
    await last.getByRole("button", { name: /^Yes, revoke/ }).click();
    await last.getByText("resting").waitFor();
    await expectCount(rows, 5);
    await button(page, "First page").click();
    await expectCount(rows, 100);
    await page.getByLabel("Namespace").fill("default");
    await page.getByText("No worker IDs leased here yet").waitFor();
    expect(browser.urls.filter((url) => /leases\/default\?/.test(url))).toEqual([]);
  });

  it("are revoked by keyboard at 390 px, with all of it inside the window", async () => {
    const { worker } = await service.ask("/v1/leases/node", "POST", { ttlMs: 600_000 });
    const page = await browser.open(`${service.url}/#/leases/node`, { width: 390 });
    const row = page.getByRole("row", { name: `${worker}` });
    const revoke = button(row, /^Revoke/);
    await revoke.waitFor();
    await expectCount(page.getByRole("columnheader", { name: "state" }), 1);
    const expectInside = async (name: RegExp): Promise<void> => {
      const { x = -1, width = 0 } = (await button(row, name).boundingBox()) ?? {};
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(390);
    };
    await expectInside(/^Revoke/);
    await revoke.focus();
    await page.keyboard.press("Enter");
    await expectFocus(button(row, /^No/));
    await expectInside(/^No/);
    await expectInside(/^Yes/);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await row.getByText("resting").waitFor();
    await expectFocus(page.getByText("is revoked."));
  });

  it("are absent for a segment, and every namespace is offered", async () => {
    const names = Array.from({ length: 101 }, (_, n) => `offered-${n}`);
    const put = (name: string) => service.ask(`/v1/namespaces/${name}`, "PUT", { kind: "segment" });
    await Promise.all(names.map(put));
    const page = await browser.open(`${service.url}/#/leases/offered-0`);
    await complains(page, /segment/);
    await page.getByLabel("Namespace").focus();
    await eventually(async () => {
      const options = page.locator("datalist option");
      const offered = await options.evaluateAll((all) => all.map((one) => Object(one).value));
      expect(new Set(offered).size).toBe(offered.length);
      expect(offered).toEqual(expect.arrayContaining([...names, "default"]));
    });
  });
});

describe("the service gets requests", () => {
  it("from no section that needs only its address", async () => {
    const page = await browser.open(`${service.url}/#/decode`, { time: "clock" });
    for (const { address, title } of SECTIONS.slice(1, 5)) {
      await page.goto(`${service.url}/${address}`);
      await page.getByRole("heading", { name: title, level: 1 }).waitFor();
      await page.clock.runFor(LONG_MS);
      await flush(page);
    }
    expect(browser.asked).toEqual([]);
  });

  it.each(["shards/default", "leases/default", "keys"])(
    "from #/%s while it is open and visible, and none after it is left, even at once",
    async (address) => {
      const page = await browser.open(`${service.url}/#/decode`, { time: "clock" });
      const asked = () => browser.asked.filter((path) => path === `/v1/${address}`).length;
      await setVisible(page, false);
      await page.goto(`${service.url}/#/${address}`);
      await page.clock.runFor(LONG_MS);
      await flush(page);
      expect(asked()).toBe(0);
      await setVisible(page, true);
      await eventually(async () => expect(asked()).toBeGreaterThan(0));

      await page.goto(`${service.url}/#/decode`);
      await page.getByRole("heading", { name: "Decode" }).waitFor();
      await page.evaluate((there) => {
        const leave = () => setTimeout(() => location.assign("#/range"), 0);
        addEventListener("hashchange", leave, { once: true });
        location.assign(there);
      }, `#/${address}`);
      await page.clock.runFor(100);
      await page.getByRole("heading", { name: "Range" }).waitFor();
      await flush(page);
      const before = browser.asked.length;
      await page.clock.runFor(LONG_MS);
      await flush(page);
      expect(browser.asked.length).toBe(before);
    },
  );
});

describe("a server that stops", () => {
  it("the page says so, and recovers", async () => {
    const page = await browser.open(`${service.url}/#/shards/js53`);
    await expectShard(page, 0);
    const { port } = service;
    await service.crash();
    await complains(page, /The service does not answer/);
    expect(await page.locator("main").innerText()).toContain("shows the last response");
    await expectShard(page, 0);
    // Another section, opened while it is away.
    await page.getByRole("link", { name: "Leases" }).click();
    await page.getByRole("heading", { name: "Leases" }).waitFor();
    await complains(page, /The service does not answer/);
    await service.start(port);
    await expectNoComplaint(page);
    await page.getByText("No worker IDs leased here yet").waitFor();
    await page.getByRole("link", { name: "Shards" }).click();
    await expectShard(page, 0);
    await expectNoComplaint(page);
  });
});
