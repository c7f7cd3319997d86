/** Answers that are none, or that no service of ours would give. Needs `npm run build` before. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import { alerts, cell, complains, eventually, expectPlainWords, overflow } from "./pages.ts";
import { ADMIN_KEY, TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

/** As long as a page that asks too often needs to show it, in ms. */
const WATCHED_MS = 3000;

const NO_ANSWER = /What came is no answer of this service/;
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

/** What every request to the API under that address is answered with, until the page is closed. */
async function answer(page: Page, url: string, body: unknown, status = 200, headers = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  await page.route(url, (route) => route.fulfill({ status, body: text, headers }));
}

const looks = (path: string) => browser.paths.filter((one) => one === path).length;

describe("a good answer that is none: says so, shows nothing, and goes on once there is one", () => {
  const problem = '{"type":"/docs","status":503,"code":"internal","detail":"No."}';
  const wrong = '{"shards":{"0":1},"keys":[null,1],"leases":"x","ids":7,"name":[],"key":{}}';
  it.each(["", "null", "[]", "7", "<html>", '{"shards":[{"shard":0', problem, wrong])(
    "%s",
    async (body) => {
      const page = await browser.open(`${service.url}/#/decode`);
      await answer(page, "**/v1/**", body);
      for (const name of ["shards", "leases", "keys"]) {
        await page.goto(`${service.url}/#/${name}`);
        await complains(page, NO_ANSWER);
        const text = await page.locator("main").innerText();
        expect(text).not.toMatch(/No key is listed|none of them was leased|in step/);
        expect(await page.locator("tbody tr").count()).toBe(0);
        await expectPlainWords(page);
      }
      await page.goto(`${service.url}/#/get/default`);
      await page.getByRole("button", { name: "Get", exact: true }).click();
      await complains(page, NO_ANSWER);
      expect(await page.locator(".ids").count()).toBe(0);
      await page.goto(`${service.url}/#/design`);
      await page.getByLabel("Name", { exact: true }).fill("made-up");
      await page.getByRole("button", { name: "Create it" }).click();
      await complains(page, NO_ANSWER);
      expect(await page.getByText("The namespace made-up is there").count()).toBe(0);
      await page.goto(`${service.url}/#/shards/default`);
      await complains(page, NO_ANSWER);
      await page.unroute("**/v1/**");
      await page.getByRole("rowheader", { name: /^7/ }).waitFor();
      expect(await alerts(page)).toBe("");
    },
  );
});

describe("entries of a list that cannot be: says so instead of showing them", () => {
  const lease = { worker: 600, holder: "pod", state: "held", notAfter: 1, leftMs: 1, restedMs: 0 };
  const key = { id: "abc", scopes: ["issue"], createdAt: "2026-01-01T00:00:00.000Z" };
  const many = Array.from({ length: 200_000 }, (_, worker) => ({ ...lease, worker }));
  it.each([
    ["leases", "a time that is none", [{ ...lease, notAfter: 8.7e15 }]],
    ["leases", "a time as a text", [{ ...lease, notAfter: "2026" }]],
    ["leases", "no worker ID", [{ ...lease, worker: "600" }]],
    ["leases", "more than any page has", many],
    ["keys", "no id", [{ ...key, id: 7 }]],
    ["keys", "no scopes", [{ ...key, scopes: "admin" }]],
    ["shards", "one twice", [{ shard: 1 }, { shard: 1 }]],
    ["shards", "a number as a text", [{ shard: "1" }]],
    ["shards", "more than any page has", many.map(({ worker }) => ({ shard: worker }))],
  ])("%s: %s", async (list, _, entries) => {
    const page = await browser.open(`${service.url}/#/decode`);
    await answer(page, `**/v1/${list}`, { [list]: entries });
    await answer(page, `**/v1/${list}/default`, { [list]: entries });
    await page.goto(`${service.url}/#/${list}`);
    await complains(page, NO_ANSWER);
    expect(await page.locator("tbody tr").count()).toBe(0);
    await expectPlainWords(page);
  });

  it("numbers that are none: each shard says that it cannot be read, and none is in step", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    const lanes = '[{"leadMs":0}]';
    const shards = [
      '{"shard":0}',
      '{"shard":1,"lanes":[],"counters":{"issued":"5","writes":1}}',
      `{"shard":2,"lanes":${lanes},"counters":{"issued":1e999,"writes":1}}`,
      `{"shard":3,"lanes":${lanes},"counters":{"issued":-1,"writes":1}}`,
      '{"shard":4,"lanes":[{"leadMs":"0"}],"counters":{"issued":1,"writes":1}}',
      '{"shard":5,"lanes":{},"counters":{"issued":1,"writes":1}}',
    ];
    await answer(page, "**/v1/shards/default", `{"shards":[${shards.join(",")}]}`);
    await page.goto(`${service.url}/#/shards/default`);
    await page.locator(".charts").waitFor();
    const states = await page.locator("td.state").allInnerTexts();
    expect(states.length).toBe(shards.length);
    for (const state of states) expect(state).toMatch(/^cannot be read What it says of itself/);
    await expectPlainWords(page);
  });

  it("refusals by codes that objects have of their own are numbers all the same", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    let times = 0;
    await page.route("**/v1/shards/default", (route) => {
      times += 1;
      const refusals = times > 1 ? '{"constructor":2,"__proto__":3}' : "{}";
      const counters = `{"issued":1,"writes":1,"refusals":${refusals}}`;
      return route.fulfill({
        body: `{"shards":[{"shard":0,"lanes":[{"leadMs":0}],"counters":${counters}}]}`,
      });
    });
    await page.goto(`${service.url}/#/shards/default`);
    await page.getByText("constructor 2").waitFor();
    await expectPlainWords(page);
  });

  it("a segment's numbers that are none", async () => {
    await service.ask("/v1/namespaces/rows", "PUT", { kind: "segment" });
    const page = await browser.open(`${service.url}/#/decode`);
    const digits = "9".repeat(300_000);
    for (const status of [
      {},
      { max_id: 1, start: "1", max: "2", step: 1 },
      { max_id: digits, start: "1", max: digits, step: 1 },
    ]) {
      await answer(page, "**/v1/shards/rows", { shards: [{ shard: 0, ...status }] });
      await page.goto(`${service.url}/#/decode`);
      await page.goto(`${service.url}/#/shards/rows`);
      await page.getByText("What it says of itself cannot be read").waitFor();
      await expectPlainWords(page);
    }
  });
});

describe("what a refusal says", () => {
  const get = async (page: Page) => {
    await page.goto(`${service.url}/#/get/default`);
    await page.getByRole("button", { name: "Get", exact: true }).click();
  };

  it.each([
    [
      429,
      { detail: "Too many IDs were asked for within 60 s.", retryAfterMs: 60_000 },
      {},
      "Too many IDs were asked for within 60 s. Try again in 1 min.",
    ],
    [
      429,
      "<html>slow down</html>",
      { "retry-after": "7" },
      "Too much was asked for in a short time (429). Try again in 7 s.",
    ],
    [429, "", {}, "Too much was asked for in a short time (429)."],
    [
      429,
      { detail: " ", retryAfterMs: 1 },
      {},
      "Too much was asked for in a short time (429). Try again in 1 s.",
    ],
    [
      429,
      { retryAfterMs: YEAR_MS },
      {},
      "Too much was asked for in a short time (429). Try again in 365 days.",
    ],
    [503, { detail: "It is full.", definite: true, retryAfterMs: -5 }, {}, "It is full."],
    [503, { detail: "It is full.", definite: true, retryAfterMs: "60000" }, {}, "It is full."],
    [503, '{"detail":"It is full.","definite":true,"retryAfterMs":1e999}', {}, "It is full."],
    [503, { detail: "It is full.", definite: true }, { "retry-after": "soon" }, "It is full."],
    [
      403,
      { detail: ["x"] },
      {},
      "The service answers 403. This section needs a key with the scope issue.",
    ],
    [
      502,
      "<html>",
      {},
      "The service cannot do that now (502). IDs may have been given out to nobody: they are left out, and never given out again.",
    ],
  ] as const)("%d %j %j", async (status, body, headers, said) => {
    const page = await browser.open(`${service.url}/#/decode`);
    await answer(page, "**/v1/ids/**", body, status, headers);
    await get(page);
    await complains(page, /./);
    expect(await alerts(page)).toBe(said);
    expect(looks("/v1/ids/default")).toBe(1);
    // And then it serves again.
    await page.unroute("**/v1/ids/**");
    await page.getByRole("button", { name: "Get", exact: true }).click();
    await page.locator(".ids a").waitFor();
    expect(await alerts(page)).toBe("");
  });

  it("a text without end is cut", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    await answer(page, "**/v1/ids/**", { detail: "<b>".repeat(500_000) }, 503);
    await get(page);
    await complains(page, /…/);
    expect((await alerts(page)).length).toBeLessThan(2000);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  });

  it("with too many requests the table stays, says so, and is not asked for at once", async () => {
    const page = await browser.open(`${service.url}/#/shards/default`);
    await page.getByRole("rowheader", { name: /^7/ }).waitFor();
    await answer(page, "**/v1/shards/default", "", 429);
    await complains(page, /Too much was asked for in a short time/);
    expect(await page.locator("main").innerText()).toContain("was so when it answered last");
    expect(await page.locator("tbody tr").count()).toBe(8);
    const before = looks("/v1/shards/default");
    await page.waitForTimeout(WATCHED_MS);
    expect(looks("/v1/shards/default")).toBe(before);
  });

  it.each([YEAR_MS, 30 * DAY_MS, 1e300, -1])(
    "a pause of %d ms: it is not asked again and again",
    async (retryAfterMs) => {
      const page = await browser.open(`${service.url}/#/decode`);
      await answer(page, "**/v1/shards/default", { detail: "Later.", retryAfterMs }, 503);
      await page.goto(`${service.url}/#/shards/default`);
      await complains(page, /Later\./);
      await page.waitForTimeout(WATCHED_MS);
      expect(looks("/v1/shards/default")).toBeLessThanOrEqual(3);
      await expectPlainWords(page);
    },
  );

  it.each([
    "shard_saturated",
    "shard_overloaded",
    "clock_behind",
    "clock_disagreement",
    "registry_unavailable",
    "not_configured",
  ])("503 %s: the table stays, says why, and goes on", async (code) => {
    const page = await browser.open(`${service.url}/#/shards/default`);
    await page.getByRole("rowheader", { name: /^7/ }).waitFor();
    const problem = { code, status: 503, detail: `Why ${code}.`, retryAfterMs: 2500 };
    await answer(page, "**/v1/shards/default", problem, 503);
    await complains(page, new RegExp(`^Why ${code}\\. Try again in 3 s\\.$`));
    const text = await page.locator("main").innerText();
    expect(text).toContain("was so when it answered last. It is asked again");
    expect(await page.locator("tbody tr").count()).toBe(8);
    await page.unrouteAll();
    await eventually(async () => expect(await alerts(page)).toBe(""));
    expect(await page.locator("main").innerText()).not.toContain("answered last");
  });

  it("a built-in namespace is not to be had with a scope", async () => {
    const page = await browser.open(`${service.url}/#/design`);
    await page.getByLabel("Name", { exact: true }).fill("twitter");
    await page.getByRole("button", { name: "Create it" }).click();
    await complains(page, /built-in|built in/i);
    expect(await alerts(page)).not.toMatch(/scope/);
  });
});

describe("where answers lead", () => {
  it("a redirect is not followed, and the key goes nowhere else", async () => {
    const seen: string[] = [];
    const other = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`);
      response.writeHead(200, { "access-control-allow-origin": "*" }).end('{"keys":[]}');
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    try {
      const page = await browser.open(`${service.url}/#/decode`, { key: ADMIN_KEY });
      for (const location of [
        `http://127.0.0.1:${port}/v1/keys`,
        `${service.url}/v1/shards/leaf`,
      ]) {
        await page.unrouteAll();
        await answer(page, "**/v1/keys", "", 302, { location });
        await page.goto(`${service.url}/#/decode`);
        await page.goto(`${service.url}/#/keys`);
        await complains(page, /leads elsewhere/);
      }
      expect(seen).toEqual([]);
      expect(looks("/v1/shards/leaf")).toBe(0);
    } finally {
      other.close();
    }
  });

  it("a cursor is a cursor, whatever it says", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    const cursor = "1&limit=1#/../../docs?\ud800";
    await page.route(/\/v1\/keys(\?|$)/, (route) => route.fulfill({ json: { keys: [], cursor } }));
    await page.goto(`${service.url}/#/keys`);
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByRole("button", { name: "First page" }).waitFor();
    await eventually(async () => expect(browser.urls.at(-1)).toContain("?cursor"));
    const asked = new URL(browser.urls.findLast((url) => url.includes("?cursor")) ?? "about:none");
    expect(asked.pathname).toBe("/v1/keys");
    expect([...asked.searchParams.keys()]).toEqual(["cursor"]);
  });

  it("a namespace's definition that is refused is told, not passed over", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    await answer(page, "**/v1/namespaces/default", { detail: "No registry." }, 503);
    await page.goto(`${service.url}/#/shards/default`);
    await complains(page, /No registry\./);
    await page.unrouteAll();
    await page.getByRole("rowheader", { name: /^7/ }).waitFor();
    await eventually(async () => expect(await alerts(page)).toBe(""));
    expect(await cell(page, "7")).toBe("in step");
  });
});
