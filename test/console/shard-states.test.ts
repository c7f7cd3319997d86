/** Each state of a shard on the page, and what to do: real answers, changed on the way. Needs `npm run build` before. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { TestBrowser } from "./browser.ts";
import { eventually, expectPlainWords } from "./pages.ts";
import { TestService } from "./service.ts";

const service = TestService.ofFile("open");
const browser = TestBrowser.ofFile();

const MINUTE_MS = 60_000;
const SHARD = 2;

interface Status {
  shard: number;
  lanes: { leadMs: number }[];
  counters: { issued: number; refusals: Record<string, number> };
  fault?: object;
}

/** What the service says of one shard is changed from now on. */
async function meddle(page: Page, change: (status: Status, look: number) => object) {
  let look = 0;
  await page.unrouteAll();
  await page.route("**/v1/shards/**", async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { shards: Status[] };
    look += 1;
    const shards = body.shards.map((one) => (one.shard === SHARD ? change(one, look) : one));
    await route.fulfill({ response, json: { ...body, shards } });
  });
}

const leading = (leadMs: number) => (status: Status) => {
  const last = status.lanes.length - 1;
  return {
    ...status,
    lanes: status.lanes.map((lane, n) => (n === last ? { ...lane, leadMs } : lane)),
  };
};

const row = (page: Page, shard = SHARD) => {
  const heading = page.getByRole("rowheader", { name: new RegExp(`^${shard}\\b`) });
  return page.locator("tbody tr").filter({ has: heading });
};

/** The state's words, how they are marked, what is advised, and the lead. */
async function shown(page: Page) {
  const state = row(page).locator("td.state");
  const advice = state.locator("small");
  return {
    words: await state.locator("b").innerText(),
    level: await state.locator("b").getAttribute("class"),
    advice: (await advice.count()) > 0 ? (await advice.innerText()).trim() : "",
    lead: await row(page).locator("td").nth(2).innerText(),
  };
}

describe("default: a step back of 1 h is forgiven, 1 s borrowed", () => {
  it.each([
    [1001, "good", "in step", /^$/, "1 s"],
    [1002, "warning", "riding out a step back of 1 s", /^Nothing to do: it goes on/, "1 s"],
    [30 * MINUTE_MS, "warning", "riding out a step back of 30 min", /^Nothing to do/, "30 min"],
    [
      61 * MINUTE_MS,
      "bad",
      "behind by 61 min",
      /further behind .* than is forgiven.* once the clock has caught up/,
      "61 min",
    ],
    [
      7 * 24 * 60 * MINUTE_MS,
      "bad",
      "behind by 7 days",
      /more than the day that can be forgiven: go on in a successor/,
      "7 days",
    ],
  ])("a lead of %d ms: %s, %s", async (leadMs, level, words, advice, lead) => {
    const page = await browser.open(`${service.url}/#/decode`);
    await meddle(page, leading(leadMs));
    await page.goto(`${service.url}/#/shards/default`);
    await page.locator(".charts").waitFor();
    expect(await shown(page)).toEqual({
      words,
      level,
      advice: expect.stringMatching(advice),
      lead,
    });
    const states = await page.locator("td.state").allInnerTexts();
    expect(states.filter((one) => one === "in step").length).toBe(words === "in step" ? 8 : 7);
    expect(await page.locator(".chart", { hasText: "furthest lead" }).innerText()).toContain(lead);
    await expectPlainWords(page);
  });
});

describe("other policies", () => {
  it("twitter forgives nothing and waits 100 ms", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    await meddle(page, leading(80));
    await page.goto(`${service.url}/#/shards/twitter`);
    await row(page).getByText("waiting out a step back of 80 ms").waitFor();
    await meddle(page, leading(5000));
    await row(page).getByText("behind by 5 s").waitFor();
    expect((await shown(page)).level).toBe("bad");
  });

  it("a namespace's own policy counts, not its preset's", async () => {
    await service.ask("/v1/namespaces/patient", "PUT", {
      kind: "snowflake",
      policy: { maxStepBackMs: 24 * 60 * MINUTE_MS },
    });
    const page = await browser.open(`${service.url}/#/decode`);
    await meddle(page, leading(300 * MINUTE_MS));
    await page.goto(`${service.url}/#/shards/patient`);
    await row(page).getByText("riding out a step back of 5 h").waitFor();
  });
});

describe("one shard as time goes by", () => {
  it("saturated while it refuses, with what to do; then in step; the refusals stay told", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    // From the third look on it refuses no more.
    await meddle(page, (status, look) => ({
      ...status,
      counters: { ...status.counters, refusals: { shard_saturated: look < 2 ? 1000 : 1500 } },
    }));
    await page.goto(`${service.url}/#/shards/default`);
    await row(page).getByText("saturated", { exact: true }).waitFor();
    expect(await shown(page)).toMatchObject({
      level: "warning",
      advice: expect.stringMatching(
        /^More is asked than one worker ID can give; .* For good: more shards/,
      ),
    });
    await row(page).getByText("in step").waitFor();
    expect(await row(page).innerText()).toContain("shard_saturated 1,500");
  });

  it("refusals of before it was looked at saturate nothing", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    await meddle(page, (status) => ({
      ...status,
      counters: { ...status.counters, refusals: { shard_saturated: 1000 } },
    }));
    await page.goto(`${service.url}/#/shards/default`);
    await page.locator(".charts").waitFor();
    expect((await shown(page)).words).toBe("in step");
  });

  it("one that does not answer hides no other, tells no numbers, and makes no leap when it does", async () => {
    const page = await browser.open(`${service.url}/#/decode`);
    const faulty = ({ shard }: Status) => ({
      shard,
      region: "weur",
      fault: { code: "internal", detail: "The shard's object failed." },
    });
    const counting = (status: Status) => ({
      ...status,
      counters: { ...status.counters, issued: 5_000_000 },
    });
    await meddle(page, faulty);
    await page.goto(`${service.url}/#/shards/default`);
    await page.locator(".charts").waitFor();
    expect(await shown(page)).toEqual({
      words: "does not answer",
      level: "bad",
      advice:
        "The shard's object failed. It is asked again; other shards serve meanwhile, only requests for its keys fail.",
      lead: "–",
    });
    expect((await row(page).locator("td").nth(1).innerText()).trim()).toBe("–");
    expect(await row(page, 7).innerText()).toContain("in step");
    await meddle(page, counting);
    await row(page).getByText("5,000,000").waitFor();
    expect((await row(page).locator("td").nth(1).innerText()).trim()).toBe("0");
    await meddle(page, faulty);
    await row(page).getByText("does not answer").waitFor();
    expect(await row(page).innerText()).toContain("5,000,000");
    await meddle(page, counting);
    await eventually(async () => expect((await shown(page)).words).toBe("in step"));
    await expectPlainWords(page);
  });
});
