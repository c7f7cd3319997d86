/** Actions that break off, and keys that end meanwhile. Needs `npm run build` before. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import { alerts, complains, eventually, expectPlainWords } from "./pages.ts";
import { ADMIN_KEY, TestService } from "./service.ts";

const service = TestService.ofFile("keys");
const browser = TestBrowser.ofFile();

/** Longer than the page takes for what needs no answer, and than a repetition would, in ms. */
const SETTLED_MS = 1500;

/** How long a key that is revoked may serve, as promised, and some time to see it, in ms. */
const REVOKED_MAX_MS = 45_000;

/** What changes something reaches the service, but its answer is lost on the way, as is all else after it. */
async function loseAnswers(page: Page): Promise<{ readonly sent: string[] }> {
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
  return { sent };
}

async function makeKey(name: string, ...scopes: string[]): Promise<{ id: string; key: string }> {
  const { id, key } = await service.ask("/v1/keys", "POST", { name, scopes });
  return { id: `${id}`, key: `${key}` };
}

const open = (address: string, key = ADMIN_KEY) =>
  browser.open(`${service.url}/${address}`, { key });

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, ...(typeof name === "string" && { exact: true }) });

/** Presses it twice, as some do. */
async function pressTwice(page: Page, name: string): Promise<void> {
  await button(page, name).evaluate((one: HTMLElement) => {
    one.click();
    one.click();
  });
}

describe("the network gone in the middle: sent once, in doubt, and it goes on", () => {
  it("get", async () => {
    const page = await open("#/get/default");
    const { sent } = await loseAnswers(page);
    await pressTwice(page, "Get");
    await complains(page, /does not answer\. IDs may have been given out to nobody/);
    await page.waitForTimeout(SETTLED_MS);
    expect(sent).toEqual(["POST /v1/ids/default"]);
    await page.unrouteAll();
    await button(page, "Get").click();
    await page.locator(".ids a").waitFor();
    expect(await alerts(page)).toBe("");
  });

  it("create a namespace", async () => {
    const page = await open("#/design");
    const { sent } = await loseAnswers(page);
    await page.getByLabel("Name", { exact: true }).fill("lost");
    await pressTwice(page, "Create it");
    await complains(page, /does not answer\. It may be there nonetheless/);
    await page.waitForTimeout(SETTLED_MS);
    expect(sent).toEqual(["PUT /v1/namespaces/lost"]);
    expect(await page.getByText("The namespace lost is there").count()).toBe(0);
    await page.unrouteAll();
    await button(page, "Create it").click();
    await complains(page, /There is a namespace lost already/);
  });

  it("create a key: the list tells that it is there", async () => {
    const page = await open("#/keys");
    await page.getByLabel("Name", { exact: true }).fill("unseen");
    const { sent } = await loseAnswers(page);
    await pressTwice(page, "Create");
    await complains(page, /The key may be made nonetheless, but nobody knows it/);
    await page.waitForTimeout(SETTLED_MS);
    expect(sent).toEqual(["POST /v1/keys"]);
    await page.unrouteAll();
    // Also without waiting for the next look at the list.
    await page.getByRole("row", { name: /unseen/ }).waitFor();
    expect(await page.getByRole("row", { name: /unseen/ }).count()).toBe(1);
  });

  it("revoke a key", async () => {
    const { id } = await makeKey("to be lost", "issue");
    const page = await open("#/keys");
    const row = page.getByRole("row", { name: /to be lost/ });
    const { sent } = await loseAnswers(page);
    await row.getByRole("button", { name: /^Revoke/ }).click();
    await row.getByRole("button", { name: /^Yes, revoke/ }).click();
    await complains(
      page,
      new RegExp(`The key ${id}: The service does not answer\\. It may be revoked`),
    );
    await page.waitForTimeout(SETTLED_MS);
    expect(sent).toEqual([`DELETE /v1/keys/${id}`]);
    await page.unrouteAll();
    await eventually(async () => expect(await row.count()).toBe(0));
  });

  it("revoke and release a lease", async () => {
    const first = await service.ask("/v1/leases/node", "POST", { holder: "one", ttlMs: 60_000 });
    const second = await service.ask("/v1/leases/node", "POST", { holder: "two", ttlMs: 60_000 });
    const page = await open("#/leases/node");
    const row = (holder: string) => page.locator("tbody tr", { hasText: holder });
    const lost = await loseAnswers(page);
    await row("one")
      .getByRole("button", { name: /^Revoke/ })
      .click();
    await row("one")
      .getByRole("button", { name: /^Yes, revoke/ })
      .click();
    await complains(page, new RegExp(`Worker ID ${first.worker}: .*It may be revoked nonetheless`));
    await page.waitForTimeout(SETTLED_MS);
    expect(lost.sent).toEqual([`DELETE /v1/leases/node/${first.worker}`]);
    await page.unrouteAll();
    await row("one").getByText("released").waitFor();

    const again = await loseAnswers(page);
    await page.getByRole("textbox", { name: "Worker ID" }).fill(`${second.worker}`);
    await page.getByRole("textbox", { name: "Token" }).fill(`${second.token}`);
    await button(page, "Release").click();
    await pressTwice(page, `Yes, release worker ID ${second.worker}`);
    await complains(page, /It may be released nonetheless/);
    await page.waitForTimeout(SETTLED_MS);
    expect(again.sent).toEqual([`DELETE /v1/leases/node/${second.worker}`]);
    await page.unrouteAll();
    await row("two").getByText("released").waitFor();
    // As it says: once more does no harm.
    await button(page, "Release").click();
    await button(page, `Yes, release worker ID ${second.worker}`).click();
    await page.getByText(`The lease of worker ID ${second.worker} is released.`).waitFor();
    expect(await alerts(page)).not.toContain("released");
  });
});

it("what is revoked while another is under way is revoked too", async () => {
  const names = ["queued-1", "queued-2", "queued-3"];
  for (const name of names) await makeKey(name, "issue");
  const page = await open("#/keys");
  let underWay = 0;
  await page.route("**/v1/keys/*", async (route) => {
    underWay += 1;
    expect(underWay).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    underWay -= 1;
    await (browser.urls.filter((url) => url.includes("/v1/keys/")).length === 1
      ? route.abort()
      : route.continue());
  });
  for (const name of names) {
    const row = page.getByRole("row", { name: new RegExp(name) });
    await row.getByRole("button", { name: /^Revoke/ }).click();
    await row.getByRole("button", { name: /^Yes, revoke/ }).click();
  }
  await eventually(async () => {
    expect(await page.getByRole("row", { name: /queued-[23]/ }).count()).toBe(0);
  });
  // The first one failed, and that is not hidden by the others.
  expect(await page.getByRole("row", { name: /queued-1/ }).count()).toBe(1);
  expect(await alerts(page)).toMatch(/does not answer/);
});

describe("a key that was made", () => {
  it("stays to be seen while the list goes to another page, and when it is not there", async () => {
    const page = await open("#/keys");
    await page.route(/\/v1\/keys$/, async (route) => {
      if (route.request().method() !== "GET") return await route.continue();
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), cursor: "more" } });
    });
    await button(page, "Create").click();
    const made = page.locator(".made code");
    const key = await made.innerText();
    await page.route(/cursor/, (route) => route.fulfill({ status: 503, body: "" }));
    await button(page, "Next page").click();
    await complains(page, /cannot do that now \(503\)/);
    expect(await made.innerText()).toBe(key);
    await page.unroute(/cursor/);
    await page.route(/cursor/, (route) => route.fulfill({ status: 400, body: "" }));
    await complains(page, /answers 400/);
    await button(page, "First page").click();
    await page.getByRole("table").waitFor();
    expect(await made.innerText()).toBe(key);

    // Nor does it stay once it is left.
    await page.getByRole("link", { name: "Shards" }).click();
    await page.getByRole("rowheader", { name: /^7/ }).waitFor();
    const kept = () =>
      page.evaluate(() => {
        const html = document.documentElement.outerHTML;
        return JSON.stringify([
          html,
          location.href,
          history.state,
          { ...localStorage },
          { ...sessionStorage },
          document.cookie,
        ]);
      });
    expect(await kept()).not.toContain(key);
    await page.goBack();
    await page.getByRole("table").waitFor();
    expect(await kept()).not.toContain(key);
    expect(browser.urls.filter((url) => url.includes(key) || url.includes(ADMIN_KEY))).toEqual([]);
  });
});

describe("a key that is revoked while it is used", () => {
  it("is told in each section, and another one goes on", async () => {
    const { id, key } = await makeKey("ends", "admin");
    const places = [
      ["#/shards/default", /^7/],
      ["#/leases/leaf", undefined],
      ["#/keys", /./],
    ] as const;
    await service.ask("/v1/leases/leaf", "POST", { holder: "pod" });
    const pages: Page[] = [];
    for (const [address] of places) {
      const page = await open(address, key);
      await page.locator("tbody tr").first().waitFor();
      pages.push(page);
    }
    const getter = await open("#/get/default", key);
    await service.ask(`/v1/keys/${id}`, "DELETE");
    const headers = { authorization: `Bearer ${key}` };
    const statusOf = async () => (await fetch(`${service.url}/v1/keys`, { headers })).status;
    await expect.poll(statusOf, { timeout: REVOKED_MAX_MS, interval: 1000 }).toBe(401);
    for (const page of pages) {
      await complains(page, /The key of this tab is not in force: .*revoked/);
      expect(await page.locator("tbody tr").count()).toBe(0);
      expect(await page.locator("main").innerText()).not.toContain("was so when it answered last");
      await expectPlainWords(page);
      await button(page, "Forget it").click();
      await complains(page, /asks for a key/);
      await page.getByLabel("API key").fill(ADMIN_KEY);
      await button(page, "Use").click();
      await page.locator("tbody tr").first().waitFor();
      await eventually(async () => expect(await alerts(page)).toBe(""));
    }
    await button(getter, "Get").click();
    await complains(getter, /not in force.*the scope issue\./);
    expect(await getter.locator(".ids").count()).toBe(0);
  });
});
