/**
 * `npm run screenshots -- URL`: pictures of every section and of the reference into docs/console, of a service with
 * ACCESS=keys and the variable ADMIN_KEY. It creates namespaces, a key and leases there, and requests IDs meanwhile.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import chromiumPackage from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";

const FOLDER = path.join(import.meta.dirname, "../../docs/console");
/** The pictures of each address, by file name. */
const PAGES = {
  shards: "/#/shards/orders",
  overview: "/#/",
  request: "/#/request/orders",
  decode: "/#/decode/twitter/1541815603606036480",
  range: "/#/range/orders?from=2026-01-01&until=2026-02-01",
  namespaces: "/#/namespaces",
  namespace: "/#/namespaces/orders",
  create: "/#/design",
  segment: "/#/namespaces/invoices",
  leases: "/#/leases/orders",
  keys: "/#/keys",
  reference: "/docs#getIds",
} as const;
const WIDTHS = { phone: 390, desktop: 1280 } as const;
const HEIGHT_PX = 900;
/** Charts need some history, in ms. */
const HISTORY_MS = 40_000;
const SETTLED_MS = 3000;

const [url] = process.argv.slice(2);
const { ADMIN_KEY = "", CHROMIUM_PATH } = process.env;
if (url === undefined || ADMIN_KEY === "") {
  process.stderr.write("usage: ADMIN_KEY=… npm run screenshots -- URL\n");
  process.exit(2);
}

async function ask(method: string, address: string, body?: object): Promise<void> {
  const response = await fetch(`${url}${address}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${address}: ${await response.text()}`);
  await response.arrayBuffer();
}

async function prepare(): Promise<void> {
  await ask("PUT", "/v1/namespaces/orders", { kind: "snowflake", shards: 4 });
  await ask("PUT", "/v1/namespaces/invoices", { kind: "segment", max: "20000000" });
  await ask("POST", "/v1/keys", { name: "shop", scopes: ["issue"], namespaces: ["orders"] });
  for (const holder of ["pod-1", "pod-2"]) {
    await ask("POST", "/v1/leases/orders", { holder, ttlMs: 600_000 });
  }
}

/** Demand that rises and falls, until the signal. */
async function demand(signal: AbortSignal): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    const count = Math.round(600 + 500 * Math.sin(turn / 90));
    await ask("GET", `/v1/ids/orders?count=${count}`);
    await ask("GET", `/v1/ids/orders?key=user-${turn % 40}`);
    if (turn % 5 === 0) await ask("GET", "/v1/ids/invoices?order=strict&count=20");
    await pause(20);
  }
}

async function shoot(browser: Browser, colorScheme: "light" | "dark"): Promise<void> {
  const context = await browser.newContext({ colorScheme, locale: "en-GB" });
  const page = await context.newPage();
  await page.goto(`${url}/icon.svg`);
  await page.evaluate((key) => sessionStorage.setItem("edgeflake-key", key), ADMIN_KEY);
  // One page for all: the charts keep their history.
  await page.goto(`${url}${PAGES.shards}`);
  await pause(HISTORY_MS);
  for (const [name, address] of Object.entries(PAGES)) {
    for (const [device, width] of Object.entries(WIDTHS)) {
      await page.setViewportSize({ width, height: HEIGHT_PX });
      await page.goto(`${url}${address}`);
      await pause(SETTLED_MS);
      const file = path.join(FOLDER, `${name}-${device}-${colorScheme}.png`);
      await page.screenshot({ path: file });
    }
  }
  await context.close();
}

mkdirSync(FOLDER, { recursive: true });
await prepare();
const ended = new AbortController();
const load = demand(ended.signal);
const browser = await chromium.launch({
  executablePath: CHROMIUM_PATH ?? (await chromiumPackage.executablePath()),
  args: ["--no-sandbox"],
});
await Promise.all([shoot(browser, "light"), shoot(browser, "dark")]);
ended.abort();
await load;
await browser.close();
