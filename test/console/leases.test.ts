/** Worker IDs on lease. Needs `npm run build` before. */
import { describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import { cell, complains, eventually, expectPlainWords } from "./pages.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

describe("Leases", () => {
  it("are listed, revoked after a question, and released with the token", async () => {
    const acquire = () =>
      service.ask("/v1/leases/leaf", "POST", { ttlMs: 60_000, holder: "pod-1" });
    const [first, second] = [await acquire(), await acquire()];
    const page = await browser.open(`${service.url}/#/leases/leaf`);
    expect(await cell(page, `${first.worker}`)).toBe("pod-1");
    const state = (worker: unknown) =>
      page
        .locator("tr", { hasText: `${worker}` })
        .locator("td")
        .nth(1);

    await page
      .getByRole("button", { name: `Revoke the lease of worker ID ${first.worker}` })
      .click();
    expect(await state(first.worker).innerText()).toBe("held");
    await page.getByRole("button", { name: `Yes, revoke` }).click();
    await eventually(async () =>
      expect(await state(first.worker).innerText()).toMatch(/^released/),
    );
    await page.getByText(`The lease of worker ID ${first.worker} is revoked.`).waitFor();

    const release = page.getByRole("button", { name: "Release", exact: true });
    await release.click();
    await complains(page, /Worker ID takes a whole number/);
    await page.getByRole("textbox", { name: "Worker ID" }).fill(`${second.worker}`);
    await page.getByRole("textbox", { name: "Token" }).fill("another-token");
    await release.click();
    await page.getByRole("button", { name: "Yes, release" }).click();
    await complains(page, /lease/);
    expect(await state(second.worker).innerText()).toBe("held");
    await page.getByRole("textbox", { name: "Token" }).fill(`${second.token}`);
    await release.click();
    await page.getByRole("button", { name: "Yes, release" }).click();
    await eventually(async () =>
      expect(await state(second.worker).innerText()).toMatch(/^released/),
    );
    await expectPlainWords(page);
  });

  it("a segment has none, and says so", async () => {
    await service.ask("/v1/namespaces/plain", "PUT", { kind: "segment" });
    const page = await browser.open(`${service.url}/#/leases/plain`);
    await complains(page, /segment/);
  });
});

describe("more than a page holds", () => {
  const layout = { timestampBits: 41, workerBits: 9, sequenceBits: 12 };

  it("leases are shown page by page, and revoked on each", async () => {
    await service.ask("/v1/namespaces/many", "PUT", { kind: "snowflake", layout });
    const acquire = () => service.ask("/v1/leases/many", "POST", { ttlMs: 600_000, holder: "pod" });
    const leases = await Promise.all(Array.from({ length: 105 }, acquire));
    const workers = leases.map(({ worker }) => Number(worker)).toSorted((one, two) => one - two);
    const page = await browser.open(`${service.url}/#/leases/many`);
    const rows = page.locator("tbody tr");
    await eventually(async () => expect(await rows.count()).toBe(100));
    await page.getByRole("button", { name: "Next page" }).click();
    await eventually(async () => expect(await rows.count()).toBe(5));
    const shown = await page.getByRole("rowheader").allInnerTexts();
    expect(shown.map(Number)).toEqual(workers.slice(100));
    const next = page.getByRole("button", { name: "Next page" });
    expect(await next.getAttribute("aria-disabled")).toBe("true");
    const last = rows.last();
    await last.getByRole("button", { name: /^Revoke/ }).click();
    await last.getByRole("button", { name: /^Yes, revoke/ }).click();
    await last.getByText("released").waitFor();
    // It is still this page that is looked at.
    expect(await rows.count()).toBe(5);
    await page.getByRole("button", { name: "First page" }).click();
    await eventually(async () => expect(await rows.count()).toBe(100));
    // Another namespace begins at its first page.
    await page.getByLabel("Namespace").fill("default");
    await page.getByText("none of them was leased yet").waitFor();
    expect(browser.urls.filter((url) => /leases\/default\?/.test(url))).toEqual([]);
  });

  it("namespaces are all offered", async () => {
    const names = Array.from({ length: 120 }, (_, n) => `offered-${n}`);
    for (let at = 0; at < names.length; at += 20) {
      const some = names.slice(at, at + 20);
      const put = (name: string) =>
        service.ask(`/v1/namespaces/${name}`, "PUT", { kind: "segment" });
      await Promise.all(some.map(put));
    }
    const page = await browser.open(`${service.url}/#/leases/default`);
    await page.getByLabel("Namespace").focus();
    await eventually(async () => {
      const offered = await page
        .locator("datalist option")
        .evaluateAll((all) => all.map((one) => one.getAttribute("value")));
      for (const name of [...names, "default", "many"]) expect(offered).toContain(name);
      expect(new Set(offered).size).toBe(offered.length);
    });
  });
});
