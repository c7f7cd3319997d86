/**
 * The console with ACCESS=keys, the section Keys, and actions whose responses are lost. Needs `npm run build` before.
 * @module-tag long
 */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { SCOPES } from "../../src/core/api-key.ts";
import { TestBrowser, type View } from "./browser.ts";
import {
  alerts,
  button,
  complains,
  eventually,
  expectCell,
  expectCount,
  expectFocus,
  expectNoComplaint,
  expectPlainWords,
  flush,
  SECTIONS,
} from "./pages.ts";
import { ADMIN_KEY, TestService } from "./service.ts";

const service = TestService.ofFile("keys");
const browser = TestBrowser.ofFile();

const open = (address: string, view: View = { key: ADMIN_KEY }) =>
  browser.open(`${service.url}/${address}`, view);

async function makeKey(name: string, ...scopes: string[]): Promise<{ id: string; key: string }> {
  const { id, key } = await service.ask("/v1/keys", "POST", { name, scopes });
  return { id: `${id}`, key: `${key}` };
}

async function enter(page: Page, key: string): Promise<void> {
  const field = page.getByLabel("API key");
  // The dialog opens by itself as it is made, or not at all.
  await page.locator("dialog").waitFor({ state: "attached" });
  if (!(await field.isVisible())) await button(page, /API key/).click();
  await field.fill(key);
  await button(page, "Use this key").click();
}

async function forget(page: Page): Promise<void> {
  await button(page, "API key is set").click();
  await button(page, "Forget the key").click();
}

/** Does what a section does first; what it needs a scope for. */
async function use(page: Page, title: string): Promise<void> {
  if (title === "Request IDs") await button(page, "Request IDs").click();
  if (title !== "Create a namespace") return;
  await page.getByLabel("Name", { exact: true }).fill("made");
  await button(page, "Create it").click();
}

/** The sign that a section has finished. */
function signOf(page: Page, title: string) {
  return {
    "Request IDs": page.locator(".ids a"),
    "Create a namespace": page.getByText("The namespace made is created."),
    Shards: page.getByRole("rowheader", { name: /^7/ }),
    Leases: page.getByText("No worker IDs leased here yet"),
    Keys: page.getByRole("heading", { name: "A new key" }),
  }[title];
}

const WITH_SCOPE = SECTIONS.filter(({ scope }) => scope !== undefined);

describe("with ACCESS=keys", () => {
  it.each(WITH_SCOPE)(
    "$title asks for a key, names its scope, and works with it",
    async (section) => {
      const { title, address, scope = "" } = section;
      const others = SCOPES.filter((one) => one !== scope && one !== "admin");
      const page = await open(address, { key: (await makeKey(`not ${title}`, ...others)).key });
      await use(page, title);
      await complains(page, new RegExp(`a key with the scope ${scope}\\.`));
      await expectCount(page.getByRole("region"), 0);
      await forget(page);
      await use(page, title);
      await complains(page, new RegExp(`requires a key.*the scope ${scope}\\.`));
      await enter(page, (await makeKey(title, scope)).key);
      // A list polls again by itself; a form must be sent again.
      await use(page, title);
      await signOf(page, title)?.waitFor();
      await expectNoComplaint(page);
      await expectPlainWords(page);
    },
  );

  it("Decode asks for a key only for namespaces that are not built in", async () => {
    await service.ask("/v1/namespaces/own", "PUT", {
      kind: "snowflake",
      layout: { timestampBits: 40, workerBits: 13, sequenceBits: 10, epochMs: 1314220021721 },
    });
    const page = await open("#/decode/twitter/1541815603606036480", {});
    await expectCell(page, "worker", /^26\b/);
    expect([await alerts(page), browser.asked]).toEqual(["", []]);
    await page.goto(`${service.url}/#/decode/own/11637205501278089`);
    await complains(page, /requires a key.*the scope read\./);
    await enter(page, (await makeKey("reader", "read")).key);
    await expectCell(page, "worker", /^1341\b/);
    await expectNoComplaint(page);
  });

  it("a dialog requests the key once, at the first request that needs it, also by keyboard", async () => {
    const page = await open("#/decode/twitter/1541815603606036480", {});
    await expectCount(button(page, /API key/), 0);
    await page.goto(`${service.url}/#/shards/default`);
    const field = page.getByLabel("API key");
    await expectFocus(field);
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "hidden" });
    await page.goto(`${service.url}/#/keys`);
    await complains(page, /requires a key.*the scope admin\./);
    expect(await field.isVisible()).toBe(false);
    await button(page, "Enter API key").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type(ADMIN_KEY);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "A new key" }).waitFor();
    await expectFocus(button(page, "API key is set"));
  });

  it("the key is kept in this tab only, and removed on request", async () => {
    const page = await open("#/keys", {});
    await enter(page, ADMIN_KEY);
    const made = page.getByRole("heading", { name: "A new key" });
    await made.waitFor();
    const { session, elsewhere } = await page.evaluate(() => ({
      session: Object.values(sessionStorage),
      elsewhere: [
        JSON.stringify({ ...localStorage }),
        document.cookie,
        location.href,
        document.documentElement.outerHTML,
      ].join(),
    }));
    expect(session).toContain(ADMIN_KEY);
    expect(elsewhere).not.toContain(ADMIN_KEY);
    expect(browser.urls.filter((url) => url.includes(ADMIN_KEY))).toEqual([]);
    await page.reload();
    await made.waitFor();
    await forget(page);
    await complains(page, /requires a key/);
    expect(await page.evaluate(() => sessionStorage.getItem("edgeflake-key"))).toBeNull();
    await expectCount(made, 0);
    await expectCount(page.getByRole("rowheader"), 0);
  });

  it("the data shown for a key is removed with the key, also while the service does not answer", async () => {
    await makeKey("seen", "issue");
    const page = await open("#/keys");
    const rows = page.getByRole("rowheader");
    await rows.first().waitFor();
    // At once, not when the next answer comes: this one never comes.
    let answers = false;
    await page.route("**/v1/**", (route) => (answers ? route.abort() : undefined));
    await forget(page);
    await rows.first().waitFor({ state: "detached" });
    answers = true;
    await enter(page, "another-key");
    await complains(page, /does not answer/);
    await expectCount(rows, 0);
  });

  it("a malformed or invalid key: says so", async () => {
    const page = await open("#/shards/default", {});
    await enter(page, "no key, schlüssel");
    await complains(page, /A key has only letters, digits/);
    const field = page.getByLabel("API key");
    expect(await field.getAttribute("aria-describedby")).toBe("key-problem");
    const { id, key } = await makeKey("revoked", "read");
    await service.ask(`/v1/keys/${id}`, "DELETE");
    await enter(page, key);
    await complains(page, /not valid.*the scope read\./);
  });
});

describe("Keys", () => {
  it("a key is created with scopes, namespaces and an end, shown once, and revoked", async () => {
    const page = await open("#/keys");
    await page.getByLabel("Name", { exact: true }).fill("shop");
    await page.getByLabel("Only for these").fill("default, js53");
    await page.getByLabel("Until (UTC)").fill("2099-01-31");
    await page.getByLabel("read").check();
    await button(page, "Create").click();
    const made = page.locator(".made code");
    const key = await made.innerText();
    expect(key).toMatch(/^efk_/);
    const row = page.locator("tbody tr", { hasText: "shop" });
    await eventually(async () => {
      expect(await row.innerText()).toMatch(
        /issue, read.*default, js53.*2099-01-31T00:00:00\.000Z/s,
      );
    });
    await button(page, "Copy the key").click();
    await eventually(async () => {
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    });
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${service.url}/v1/ids/default`, { headers })).status).toBe(200);
    await button(page, "I have it").click();
    await expectCount(made, 0);
    expect(await page.locator("html").innerHTML()).not.toContain(key);

    await row.getByRole("button", { name: /^Revoke/ }).click();
    await row.getByRole("button", { name: /^No/ }).click();
    await expectCount(row, 1);
    await row.getByRole("button", { name: /^Revoke/ }).click();
    await row.getByRole("button", { name: /^Yes, revoke/ }).click();
    await expectCount(row, 0);
    expect(JSON.stringify(await service.ask("/v1/keys"))).not.toContain('"shop"');
    await expectPlainWords(page);
  });

  it("says why a key can't be created", async () => {
    const page = await open("#/keys");
    for (const [label, value, why] of [
      ["Only for these namespaces", "no/name", /“no\/name” is not a valid namespace name/],
      ["Until (UTC)", "2001-01-01", /must be in the future/],
      ["Name", "x".repeat(101), /1 to 100 characters/],
    ] as const) {
      const field = page.getByLabel(label, { exact: true });
      await field.fill(value);
      await button(page, "Create").click();
      await complains(page, why);
      await field.fill("");
    }
    await page.getByLabel("admin").check();
    await page.getByLabel("Only for these").fill("default");
    await button(page, "Create").click();
    await complains(page, /the scope admin are mutually exclusive/);
  });

  it("a created key stays while the list shows another page, and disappears when the section is left", async () => {
    const page = await open("#/keys");
    await page.route(/\/v1\/keys$/, async (route) => {
      if (route.request().method() !== "GET") return await route.continue();
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), cursor: "more" } });
    });
    await button(page, "Create").click();
    const made = page.locator(".made code");
    const key = await made.innerText();
    await page.route(/cursor/, (route) => route.fulfill({ status: 400, body: "" }));
    await button(page, "Next page").click();
    await complains(page, /status 400/);
    expect(await made.innerText()).toBe(key);
    await page.unroute(/cursor/);
    await button(page, "First page").click();
    await expectNoComplaint(page);
    await page.getByRole("table").waitFor();
    expect(await made.innerText()).toBe(key);

    await page.getByRole("link", { name: "Shards" }).click();
    await page.getByRole("rowheader", { name: /^7/ }).waitFor();
    const kept = () =>
      page.evaluate(() => {
        const stores = [{ ...localStorage }, { ...sessionStorage }, history.state];
        const { outerHTML } = document.documentElement;
        return JSON.stringify([outerHTML, location.href, document.cookie, stores]);
      });
    expect(await kept()).not.toContain(key);
    await page.goBack();
    await page.getByRole("table").waitFor();
    expect(await kept()).not.toContain(key);
    expect(browser.urls.filter((url) => url.includes(key))).toEqual([]);
  });

  it("a key revoked during another revocation is revoked too", async () => {
    const names = ["queued-1", "queued-2", "queued-3"];
    for (const name of names) await makeKey(name, "issue");
    const page = await open("#/keys");
    const pressed = Promise.withResolvers<void>();
    let [sent, underWay, most] = [0, 0, 0];
    await page.route("**/v1/keys/*", async (route) => {
      sent += 1;
      underWay += 1;
      most = Math.max(most, underWay);
      const isFirst = sent === 1;
      await pressed.promise;
      underWay -= 1;
      await (isFirst ? route.abort() : route.continue());
    });
    for (const name of names) {
      const row = page.getByRole("row", { name: new RegExp(name) });
      await row.getByRole("button", { name: /^Revoke/ }).click();
      await row.getByRole("button", { name: /^Yes, revoke/ }).click();
    }
    pressed.resolve();
    await expectCount(page.getByRole("row", { name: /queued-[23]/ }), 0);
    // The first one failed, and the others do not hide that.
    await expectCount(page.getByRole("row", { name: /queued-1/ }), 1);
    await complains(page, /does not answer/);
    expect([sent, most]).toEqual([names.length, 1]);
  });

  it("revoking a lease requires the scope admin, and says so", async () => {
    await service.ask("/v1/leases/js53", "POST", { holder: "pod-2", ttlMs: 600_000 });
    const page = await open("#/leases/js53", { key: (await makeKey("leaser", "lease")).key });
    await button(page, /^Revoke/).click();
    await button(page, /^Yes, revoke/).click();
    await complains(page, /the scope admin\./);
  });
});

describe("a lost response: the request is sent once, in doubt, and the page recovers", () => {
  const clock: View = { key: ADMIN_KEY, time: "clock" };

  /** A change reaches the service, but its response is lost, as is all that follows. */
  async function loseAnswers(page: Page): Promise<readonly string[]> {
    const sent: string[] = [];
    await page.route("**/v1/**", async (route) => {
      const method = route.request().method();
      if (method === "GET" && sent.length === 0) return await route.continue();
      if (method !== "GET") {
        sent.push(`${method} ${new URL(route.request().url()).pathname}`);
        await route.fetch();
      }
      await route.abort("connectionreset");
    });
    return sent;
  }

  /** Presses it twice, as some do. */
  async function pressTwice(page: Page, name: RegExp | string): Promise<void> {
    await button(page, name).evaluate((one: HTMLElement) => {
      one.click();
      one.click();
    });
  }

  /** Expects that nothing is sent again by itself; then responses come again. */
  async function expectSentOnce(page: Page, sent: readonly string[], one: string): Promise<void> {
    await page.clock.runFor(10_000);
    await flush(page);
    expect(sent).toEqual([one]);
    await page.unrouteAll();
  }

  it("get", async () => {
    const page = await open("#/request/default", clock);
    const sent = await loseAnswers(page);
    await pressTwice(page, "Request IDs");
    await complains(page, /does not answer\. IDs may have been granted and lost/);
    await expectSentOnce(page, sent, "POST /v1/ids/default");
    await button(page, "Request IDs").click();
    await page.locator(".ids a").waitFor();
    await expectNoComplaint(page);
  });

  it("create a key and revoke it", async () => {
    const page = await open("#/keys", clock);
    const made = await loseAnswers(page);
    await page.getByLabel("Name", { exact: true }).fill("unseen");
    await pressTwice(page, "Create");
    await complains(page, /The key may have been created, but it is lost/);
    await expectSentOnce(page, made, "POST /v1/keys");
    await page.clock.runFor(10_000);
    const row = page.getByRole("row", { name: /unseen/ });
    await expectCount(row, 1);
    const id = await row.locator("code").innerText();
    const sent = await loseAnswers(page);
    await button(row, /^Revoke/).click();
    await button(row, /^Yes, revoke/).click();
    await complains(page, new RegExp(`The key ${id}: The service .*\\. It may have been revoked`));
    await expectSentOnce(page, sent, `DELETE /v1/keys/${id}`);
    await page.clock.runFor(10_000);
    await expectCount(row, 0);
  });
});
