/** The console where ACCESS=keys, and the section Keys. Needs `npm run build` before. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { SCOPES } from "../../src/core/api-key.ts";
import { TestBrowser } from "./browser.ts";
import { alerts, cell, complains, eventually, expectPlainWords, SECTIONS } from "./pages.ts";
import { ADMIN_KEY, TestService } from "./service.ts";

const service = TestService.ofFile("keys");
const browser = TestBrowser.ofFile();

async function keyOf(...scopes: string[]): Promise<{ id: string; key: string }> {
  const { id, key } = await service.ask("/v1/keys", "POST", { scopes });
  return { id: `${id}`, key: `${key}` };
}

/** Does what a section does first; what it needs a scope for. */
async function use(page: Page, title: string, name = "made"): Promise<void> {
  if (title === "Get") await page.getByRole("button", { name: "Get", exact: true }).click();
  if (title !== "Design") return;
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Create it" }).click();
}

/** That the section has done it. */
async function works(page: Page, title: string): Promise<void> {
  const sign = {
    Get: page.locator(".ids a"),
    Design: page.getByText("The namespace made is there."),
    Shards: page.getByRole("rowheader", { name: /^7/ }),
    Leases: page.getByText("none of them was leased yet"),
    Keys: page.getByRole("heading", { name: "A new key" }),
  }[title];
  await sign?.waitFor();
  expect(await alerts(page)).toBe("");
}

async function enter(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Use" }).click();
}

/** Less than the page waits for an answer, in ms. */
const UNANSWERED_MS = 10_000;

const WITH_SCOPE = SECTIONS.filter(({ scope }) => scope !== undefined);

describe("with ACCESS=keys", () => {
  it.each(WITH_SCOPE)("$title asks for a key, says which, and works with it", async (section) => {
    const { title, address, scope = "" } = section;
    const page = await browser.open(`${service.url}/${address}`);
    await use(page, title);
    await complains(page, new RegExp(`asks for a key.*the scope ${scope}\\.`));
    await enter(page, (await keyOf(scope)).key);
    // What shows a list asks again by itself; a form is sent again.
    await use(page, title);
    await works(page, title);
    await expectPlainWords(page);
  });

  it.each(WITH_SCOPE)(
    "$title with a key of every other scope says which it needs",
    async (section) => {
      const { title, address, scope } = section;
      const others = SCOPES.filter((one) => one !== scope && one !== "admin");
      const { key } = await keyOf(...others);
      const page = await browser.open(`${service.url}/${address}`, { key });
      await use(page, title, "other");
      await complains(page, new RegExp(`needs a key with the scope ${scope}\\.`));
      expect(await page.locator("tbody tr").filter({ hasText: "pod" }).count()).toBe(0);
    },
  );

  it("Decode and Range of built-in namespaces ask for none", async () => {
    for (const { address } of SECTIONS.filter(({ scope }) => scope === undefined)) {
      const page = await browser.open(`${service.url}/${address}`);
      expect(await alerts(page)).toBe("");
      expect(await page.locator("tbody tr").count()).toBeGreaterThan(2);
    }
    expect(browser.paths.filter((path) => path.startsWith("/v1/"))).toEqual([]);
  });

  it("Decode of another namespace takes the scope read, and then knows its layout", async () => {
    await service.ask("/v1/namespaces/own", "PUT", {
      kind: "snowflake",
      layout: { timestampBits: 40, workerBits: 13, sequenceBits: 10, epochMs: 1314220021721 },
    });
    const page = await browser.open(`${service.url}/#/decode/own/11637205501278089`);
    await complains(page, /asks for a key.*the scope read\./);
    await enter(page, (await keyOf("read")).key);
    await eventually(async () => expect(await cell(page, "worker")).toMatch(/^1341\b/));
    expect(await alerts(page)).toBe("");
  });

  it("the key is kept in this tab only, and forgotten when told", async () => {
    const page = await browser.open(`${service.url}/#/keys`);
    await enter(page, ADMIN_KEY);
    await page.getByRole("heading", { name: "A new key" }).waitFor();
    const kept = await page.evaluate(() => ({
      session: Object.values(sessionStorage),
      local: Object.keys(localStorage),
      cookie: document.cookie,
      address: location.href,
      text: document.documentElement.outerHTML,
    }));
    expect(kept.session).toContain(ADMIN_KEY);
    expect(kept.local).toEqual([]);
    expect(kept.cookie).toBe("");
    expect(kept.address).not.toContain(ADMIN_KEY);
    expect(kept.text).not.toContain(ADMIN_KEY);
    expect(browser.urls.filter((url) => url.includes(ADMIN_KEY))).toEqual([]);
    await page.reload();
    await page.getByRole("heading", { name: "A new key" }).waitFor();

    await page.getByRole("button", { name: "Forget it" }).click();
    await complains(page, /asks for a key/);
    expect(await page.evaluate(() => sessionStorage.getItem("edgeflake-key"))).toBeNull();
    expect(await page.getByRole("heading", { name: "A new key" }).count()).toBe(0);
    expect(await page.getByRole("rowheader").count()).toBe(0);
  });

  it("what a key was shown goes with it, also while the service does not answer", async () => {
    await keyOf("issue");
    const page = await browser.open(`${service.url}/#/keys`, { key: ADMIN_KEY });
    await page.getByRole("rowheader").first().waitFor();
    // At once, not when the next answer comes: this one comes never.
    let answers = false;
    await page.route("**/v1/**", (route) => (answers ? route.abort() : undefined));
    await page.getByRole("button", { name: "Forget it" }).click();
    await page
      .getByRole("rowheader")
      .first()
      .waitFor({ state: "detached", timeout: UNANSWERED_MS });
    answers = true;
    await page.getByLabel("API key").fill("another-key");
    await page.getByRole("button", { name: "Use" }).click();
    await complains(page, /does not answer/);
    expect(await page.getByRole("rowheader").count()).toBe(0);
  });

  it("a key that is none: says so, sent or not", async () => {
    const page = await browser.open(`${service.url}/#/shards/default`);
    await enter(page, "no key, schlüssel");
    await complains(page, /A key is letters, digits/);
    await enter(page, "efk_wrong");
    await complains(page, /The key of this tab is not in force/);
  });
});

describe("Keys", () => {
  it("one is made with scopes, namespaces and an end, shown once, and revoked", async () => {
    const page = await browser.open(`${service.url}/#/keys`, { key: ADMIN_KEY });
    await page.getByLabel("Name", { exact: true }).fill("shop");
    await page.getByLabel("Only for these").fill("default, js53");
    await page.getByLabel("Until (UTC)").fill("2099-01-31");
    await page.getByLabel("read").check();
    await page.getByRole("button", { name: "Create" }).click();
    const made = page.locator(".made code");
    const key = await made.innerText();
    expect(key).toMatch(/^efk_/);
    const row = page.locator("tbody tr", { hasText: "shop" });
    await eventually(async () => {
      expect(await row.innerText()).toMatch(
        /issue, read.*default, js53.*2099-01-31T00:00:00\.000Z/s,
      );
    });
    await page.getByRole("button", { name: "Copy the key" }).click();
    await eventually(async () => {
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    });
    const send = () => {
      return fetch(`${service.url}/v1/ids/default`, {
        headers: { authorization: `Bearer ${key}` },
      });
    };
    expect((await send()).status).toBe(200);
    await page.getByRole("button", { name: "I have it" }).click();
    expect(await made.count()).toBe(0);
    expect(await page.locator("html").innerHTML()).not.toContain(key);

    await row.getByRole("button", { name: /^Revoke/ }).click();
    expect(await row.count()).toBe(1);
    await row.getByRole("button", { name: /^No/ }).click();
    await row.getByRole("button", { name: /^Revoke/ }).click();
    await row.getByRole("button", { name: /^Yes, revoke/ }).click();
    await eventually(async () => expect(await row.count()).toBe(0));
    const { keys } = await service.ask("/v1/keys");
    expect(JSON.stringify(keys)).not.toContain("shop");
    await expectPlainWords(page);
  });

  it("one that is revoked serves no more, and the page says so", async () => {
    const { id, key } = await keyOf("read");
    await service.ask(`/v1/keys/${id}`, "DELETE");
    const page = await browser.open(`${service.url}/#/shards/default`, { key });
    await complains(page, /not in force.*the scope read\./);
  });

  it.each([
    ["Only for these", "no/name", /“no\/name” is no name/],
    ["Until (UTC)", "tomorrow", /Until takes unix ms/],
    ["Until (UTC)", "2001-01-01", /an instant in the future/],
    ["Name", "x".repeat(101), /1 to 100 characters/],
  ])("%s = %s: says why not", async (label, value, why) => {
    const page = await browser.open(`${service.url}/#/keys`, { key: ADMIN_KEY });
    await page.getByLabel(label, { exact: label === "Name" }).fill(value);
    await page.getByRole("button", { name: "Create" }).click();
    await complains(page, why);
  });

  it("without a scope, or admin beside namespaces: says why not", async () => {
    const page = await browser.open(`${service.url}/#/keys`, { key: ADMIN_KEY });
    await page.getByLabel("issue").uncheck();
    await page.getByRole("button", { name: "Create" }).click();
    await complains(page, /one scope at least/);
    await page.getByLabel("admin").check();
    await page.getByLabel("Only for these").fill("default");
    await page.getByRole("button", { name: "Create" }).click();
    await complains(page, /no scope admin beside it/);
  });

  it("more than a hundred are shown page by page", async () => {
    for (let made = 0; made < 101; made += 20) {
      await Promise.all(Array.from({ length: 20 }, () => keyOf("issue")));
    }
    const page = await browser.open(`${service.url}/#/keys`, { key: ADMIN_KEY });
    await eventually(async () => expect(await page.locator("tbody tr").count()).toBe(100));
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByRole("button", { name: "First page" }).waitFor();
    await eventually(async () => {
      const shown = await page.locator("tbody tr").count();
      expect(shown).toBeLessThan(100);
      // None are there until the page has come.
      expect(shown).toBeGreaterThan(0);
    });
  });

  it("revoking a lease takes the scope admin, and says so", async () => {
    await service.ask("/v1/leases/node", "POST", { holder: "pod-2", ttlMs: 60_000 });
    const page = await browser.open(`${service.url}/#/leases/node`, {
      key: (await keyOf("lease")).key,
    });
    await page.getByRole("button", { name: /^Revoke/ }).click();
    await page.getByRole("button", { name: /^Yes, revoke/ }).click();
    await complains(page, /the scope admin\./);
  });
});
