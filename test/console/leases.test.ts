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
