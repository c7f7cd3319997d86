/**
 * Malicious addresses, texts and responses stay text. Every test here also fails if the page breaks its Content
 * Security Policy, asks another host, or opens a dialog. Needs `npm run build` before.
 * @module-tag long
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import { alerts, button, complains, expectCount, expectPlainWords, overflow } from "./pages.ts";
import { ADMIN_KEY, TestService } from "./service.ts";

const service = TestService.ofFile("open");
/** Open access makes no keys. */
const closed = TestService.ofFile("keys");
const browser = TestBrowser.ofFile();

const TITLES = {
  decode: "Decode",
  range: "Range",
  request: "Request IDs",
  namespaces: "Namespaces",
  design: "Create a namespace",
  shards: "Shards",
  leases: "Leases",
  keys: "Keys",
};
const EVIL = "<img src=x onerror=window.pwned=1>";
/** Longer than the pause before a typed name is requested, in ms. */
const SETTLED_MS = 400;

/** More of them are in test/console-core, without a browser. */
const TAILS: readonly (readonly [what: string, tail: string])[] = [
  ["HTML", `${EVIL}/${EVIL}?encoding=${EVIL}&from=${EVIL}&until=${EVIL}`],
  ["HTML, escaped", `${encodeURIComponent(EVIL)}/${encodeURIComponent(EVIL)}`],
  ["20 kB", `${"a".repeat(10_000)}/${"9".repeat(10_000)}?from=${"7".repeat(10_000)}`],
  ["steps up", "../..%2F..%2Fv1%2Fkeys/%2e%2e?cursor=1"],
];

/** The page is shown, has no foreign elements or links, and shows no text that is meant for programs. */
async function isIntact(page: Page, { url } = service): Promise<void> {
  const seen = await page.evaluate(() => ({
    headings: document.querySelectorAll("h1").length,
    foreign: document.querySelectorAll("img, iframe, form[action], script:not([src])").length,
    isRun: "pwned" in window,
    links: [...document.querySelectorAll("a")]
      .map((link) => link.getAttribute("href") ?? "")
      .filter((href) => !/^(#\/|\/docs$)/.test(href)),
    origin: location.origin,
  }));
  expect(seen).toEqual({ headings: 1, foreign: 0, isRun: false, links: [], origin: url });
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  await expectPlainWords(page);
}

describe("an address with", () => {
  it.each(TAILS)("%s", async (_, tail) => {
    const page = await browser.open(`${service.url}/#/decode`, { time: "clock" });
    for (const [name, title] of Object.entries(TITLES)) {
      await page.goto(`${service.url}/#/${name}/${tail}`);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      await page.clock.runFor(SETTLED_MS);
      await isIntact(page);
    }
    // The page still works.
    await page.goto(`${service.url}/#/decode/twitter/1541815603606036480`);
    await page.getByText("Encodings").waitFor();
    expect(browser.asked.filter((path) => path !== "/v1/keys")).toEqual([]);
  });

  it("another section, set before the page was visible", async () => {
    const page = await browser.open(`${service.url}/docs`, { time: "lateFrames" });
    await page.addInitScript(() => {
      new MutationObserver((_, observer) => {
        if (!document.querySelector("h1")) return;
        observer.disconnect();
        location.hash = "#/range";
      }).observe(document, { childList: true, subtree: true });
    });
    await page.goto(`${service.url}/#/decode`);
    await page.getByRole("heading", { name: "Range" }).waitFor();
  });
});

describe("HTML stays text", () => {
  it("typed as a name, a key text and a namespace", async () => {
    const page = await browser.open(`${service.url}/#/request/default`);
    for (const field of await page.locator("main input[type=text]").all()) await field.fill(EVIL);
    await button(page, "Request IDs").click();
    await complains(page, /name is a letter/);
    expect(await page.locator("pre").nth(1).innerText()).toContain("onerror");
    await isIntact(page);
    await page.goto(`${service.url}/#/design`);
    await page.getByLabel("Name", { exact: true }).fill(EVIL);
    await button(page, "Create it").click();
    await complains(page, /name is a letter/);
    await isIntact(page);
  });

  it("as the holder of a lease and the name of a key", async () => {
    await closed.ask("/v1/leases/js53", "POST", { holder: EVIL, ttlMs: 600_000 });
    await closed.ask("/v1/keys", "POST", { name: EVIL, scopes: ["issue"] });
    const page = await browser.open(`${closed.url}/#/decode`, { key: ADMIN_KEY });
    for (const address of ["#/leases/js53", "#/keys"]) {
      await page.goto(`${closed.url}/${address}`);
      await page.getByText(EVIL).first().waitFor();
      await isIntact(page, closed);
    }
  });

  it("as any text of a response", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    const status = { shard: 0, region: EVIL, lanes: [], fault: { code: EVIL, detail: EVIL } };
    const answers: [string, number, object][] = [
      ["**/v1/shards/**", 200, { shards: [status, { shard: 1 }] }],
      ["**/v1/keys*", 503, { detail: EVIL, code: EVIL, retryAfterMs: EVIL }],
      ["**/v1/ids/**", 400, { code: EVIL, detail: EVIL.repeat(50_000) }],
    ];
    for (const [url, code, json] of answers) {
      await page.route(url, (route) => route.fulfill({ status: code, json }));
    }
    for (const address of ["#/shards/default", "#/keys", "#/request/default"]) {
      await page.goto(`${service.url}/${address}`);
      if (address.startsWith("#/request")) await button(page, "Request IDs").click();
      await page.getByText(EVIL).first().waitFor();
      await isIntact(page);
    }
  });
});

it("a response of another server is reported, not shown, and the page recovers", async () => {
  const page = await browser.open(`${service.url}/#/decode`);
  const body = '{"shards":{"0":1},"keys":[null,1],"leases":"x","ids":7,"name":[],"key":{}}';
  await page.route("**/v1/**", (route) => route.fulfill({ body }));
  for (const name of ["keys", "leases", "shards"]) {
    await page.goto(`${service.url}/#/${name}`);
    await page.getByRole("heading", { level: 1, name: new RegExp(name, "i") }).waitFor();
    await complains(page, /Unexpected response/);
    await expectCount(page.locator("tbody tr"), 0);
    await isIntact(page);
  }
  await page.unrouteAll();
  await page.getByRole("rowheader", { name: /^7/ }).waitFor();
  expect(await alerts(page)).toBe("");
});

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
    for (const location of [`http://127.0.0.1:${port}/v1/keys`, `${service.url}/v1/shards/leaf`]) {
      await page.unrouteAll();
      await page.route("**/v1/keys", (route) =>
        route.fulfill({ status: 302, headers: { location } }),
      );
      await page.goto(`${service.url}/#/decode`);
      await page.getByRole("heading", { name: "Decode" }).waitFor();
      await page.goto(`${service.url}/#/keys`);
      await complains(page, /redirect/);
    }
    expect(seen).toEqual([]);
    expect(browser.asked).not.toContain("/v1/shards/leaf");
  } finally {
    other.close();
  }
});
