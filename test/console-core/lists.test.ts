/** The sections Shards, Leases, Keys and Get show the service's responses. */
import { h } from "preact";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { freeWorkers, leasesIn } from "../../src/console/lease-state.ts";
import { KeyTable } from "../../src/console/sections/keys.tsx";
import { LeaseTable } from "../../src/console/sections/leases.tsx";
import { Ids, problemOf } from "../../src/console/sections/request.tsx";
import { ShardsView } from "../../src/console/sections/shards.tsx";
import { SegmentStatus } from "../../src/console/shards/segment-status.tsx";
import { NO_HISTORY, nextHistory } from "../../src/console/shards/shard-history.ts";
import { boundsIn, shardFacts } from "../../src/console/shards/shard-state.ts";
import { presetOf } from "../core/vectors.ts";
import { expectHarmless, htmlOf, rowsOf, wordsOf } from "./view.ts";

const NOW_MS = Date.UTC(2026, 5, 1);
const MINUTE_MS = 60_000;
const EVIL = "<img src=x onerror=window.pwned=1>";

beforeEach(() => void vi.useFakeTimers({ now: NOW_MS }));
afterEach(() => void vi.useRealTimers());

/** A shard's status as the service gives it. */
function status(shard: number, leadMs = 0, counters: object = {}): object {
  const lanes = [{ leadMs }];
  return { shard, region: "weur", lanes, counters: { issued: 0, writes: 0, ...counters } };
}

/** Shards after some looks, 2 s apart. */
function shardsView(looks: readonly (readonly object[])[], preset = "default"): string {
  const { spec, policy } = presetOf(preset);
  const bounds = boundsIn({ layout: spec, policy });
  const history = looks.reduce<typeof NO_HISTORY>((before, shards, look) => {
    return nextHistory(
      before,
      shards.map((one) => shardFacts({ ...one })),
      2000 * look,
    );
  }, NO_HISTORY);
  const html = htmlOf(
    h(ShardsView, { history, bounds, isWhole: true, span: "1 min", onSpan: () => undefined }),
  );
  expectHarmless(html);
  return html;
}

/** State, IDs/s, lead, writes, issued and refusals of a shard. */
function shardIn(html: string, shard: number): string[] {
  const [, cells = []] = [...rowsOf(html)].find(([name]) => name.startsWith(`${shard} `)) ?? [];
  return cells;
}

describe("a shard", () => {
  const behind = /^The clock is further behind .* once the clock has caught up/;
  it.each([
    ["default", 1001, "good", "in step", /^$/, "1 s"],
    ["default", 30 * MINUTE_MS, "warning", "riding out a step back of 30 min", /^Not/, "30 min"],
    ["default", 61 * MINUTE_MS, "bad", "behind by 61 min", behind, "61 min"],
    ["twitter", 80, "warning", "waiting out a step back of 80 ms", /^Nothing to do/, "80 ms"],
  ])("%s with a lead of %d ms: %s, %s", (preset, leadMs, level, words, advice, lead) => {
    const shards = [status(1), status(2, leadMs), status(3)];
    const html = shardsView([shards, shards], preset);
    const [state = "", , shown] = shardIn(html, 2);
    expect(html).toContain(`<b class="${level}">${words}</b>`);
    expect(state.slice(words.length).trim()).toMatch(advice);
    expect(shown).toBe(lead);
    expect(shardIn(html, 1)[0]).toBe("in step");
    const counts = words === "in step" ? "3 in step" : `1 ${words}, 2 in step`;
    expect(wordsOf(html)).toContain(`3 shards: ${counts}`);
  });

  it("is saturated while it rejects requests; the count of rejections stays", () => {
    const refusing = (times: number) => [status(2, 0, { refusals: { shard_saturated: times } })];
    // Refusals before the first look say nothing of now.
    expect(shardIn(shardsView([refusing(1000)]), 2)[0]).toBe("in step");
    const saturated = shardIn(shardsView([refusing(1000), refusing(1500)]), 2);
    expect(saturated[0]).toMatch(/^saturated Demand exceeds .* Add more shards/);
    const calm = shardIn(shardsView([refusing(1000), refusing(1500), refusing(1500)]), 2);
    expect([calm[0], calm.at(-1)]).toEqual(["in step", "shard_saturated 1,500"]);
  });

  it("that does not answer hides no other, shows no numbers, and shows no jump when it answers again", () => {
    const fault = { code: "internal", detail: "The shard's object failed." };
    const faulty = [{ shard: 2, region: "weur", fault }, status(7)];
    const counting = [status(2, 0, { issued: 5_000_000, writes: 5 }), status(7)];
    const away = shardsView([faulty]);
    expect(shardIn(away, 2)).toEqual([
      "does not answer The shard's object failed. The console retries. Meanwhile other shards serve, and only requests for its keys fail. More about internal",
      "–",
      "–",
      "–",
      "–",
      "–",
    ]);
    expect(shardIn(away, 7)[0]).toBe("in step");
    const back = shardIn(shardsView([faulty, counting]), 2);
    expect(back).toEqual(["in step", "0", "0 ms", "1", "5,000,000", "–"]);
    const again = shardIn(shardsView([faulty, counting, faulty]), 2);
    expect(again[0]).toMatch(/^does not answer/);
    expect(again[4]).toBe("5,000,000");
  });

  it("may fail with codes of the objects", () => {
    const refusals: object = JSON.parse('{"constructor":2,"__proto__":3}');
    const html = shardsView([[status(0)], [status(0, 0, { refusals })]]);
    expect(shardIn(html, 0).at(-1)).toContain("constructor 2");
  });

  it("shows HTML only as text", () => {
    const fault = { code: EVIL, detail: EVIL };
    const html = shardsView([
      [{ shard: 0, region: EVIL, fault }, status(1, 0, { refusals: { [EVIL]: 2 } })],
    ]);
    expect(wordsOf(html)).toContain(EVIL);
  });
});

describe("a segment", () => {
  const shown = (segment: object): string => {
    const html = htmlOf(
      h(SegmentStatus, { answer: { shards: [{ shard: 0, ...segment }] }, atMs: 0 }),
    );
    expectHarmless(html);
    return html;
  };

  it("shows its use and step", () => {
    const html = shown({ max_id: "501", start: "1", max: "1000", step: 100 });
    expect(Object.fromEntries(rowsOf(html))).toMatchObject({
      "next number (max_id)": ["501"],
      numbers: ["1 to 1,000"],
      "time left at this rate": ["counting …"],
      used: ["50.0 %"],
      step: ["100"],
    });
  });

  it.each([
    {},
    { max_id: 1, start: "1", max: "2", step: 1 },
    { max_id: "9".repeat(300_000), start: "1", max: "9".repeat(300_000), step: 1 },
  ])("with invalid numbers is reported as unreadable (%#)", (segment) => {
    expect(wordsOf(shown(segment))).toContain("Its status can’t be read");
  });
});

describe("leases", () => {
  const lease = { worker: 512, holder: "pod-1", notAfter: NOW_MS, leftMs: 0, restedMs: 0 };
  const shown = (...leases: object[]): string => {
    const html = htmlOf(
      LeaseTable({
        leases: leasesIn({ leases: leases.map((one) => ({ ...lease, ...one })) }),
        onRevoke: () => undefined,
      }),
    );
    expectHarmless(html);
    return html;
  };

  it("show state, time left, holder and owner; only a held one can be revoked", () => {
    const html = shown(
      { worker: 1, state: "held", leftMs: 90_000 },
      { worker: 2, state: "held", leftMs: 14_999, owner: "open" },
      { worker: 3, state: "released", leftMs: 5000, holder: EVIL, owner: "k1" },
      { worker: 4, state: "released" },
      { worker: 5, state: "expired", restedMs: 7_200_000 },
    );
    const rows = rowsOf(html);
    const end = "2026-06-01T00:00:00.000Z";
    expect(rows.get("1")).toEqual(["held", `2 min left ${end}`, "pod-1", "Revoke"]);
    expect(rows.get("2")?.[0]).toMatch(/^ending soon .*renews the lease by itself/);
    expect(rows.get("2")?.slice(2)).toEqual(["pod-1", "Revoke"]);
    expect(rows.get("3")?.[0]).toMatch(/^resting .*free after the end/);
    expect(rows.get("3")?.slice(1)).toEqual([`5 s left ${end}`, `${EVIL} API key k1`, "–"]);
    expect(rows.get("4")?.[0]).toMatch(/^released Its ID is free/);
    expect(rows.get("5")?.[0]).toMatch(/^expired Its ID is free.*can still renew/);
    expect(rows.get("5")?.slice(1)).toEqual([`ended 2 h ago ${end}`, "pod-1", "–"]);
    // A card shows the heading of each cell.
    expect(html).toContain('<td class="none" data-label="action" role="cell">');
  });

  it("say how many worker IDs are free", () => {
    const leases = leasesIn({
      leases: [
        { ...lease, state: "held", leftMs: 1 },
        { ...lease, state: "released", leftMs: 1 },
        { ...lease, state: "expired" },
      ],
    });
    const { layout } = presetOf("js53");
    expect(freeWorkers(leases, true, layout)).toBe("6 of 8 worker IDs (8 to 15) are free.");
    expect(freeWorkers(leases, false, layout)).toBe(
      "8 worker IDs (8 to 15) can be leased; on this page, 2 are taken.",
    );
  });

  it("say so if there are no leases", () => {
    expect(wordsOf(shown())).toMatch(/No worker IDs leased here yet/);
  });
});

describe("keys", () => {
  const shown = (...keys: { id: string; [more: string]: unknown }[]): string => {
    const html = htmlOf(KeyTable({ keys, onRevoke: () => undefined }));
    expectHarmless(html);
    return html;
  };

  it("show their scopes, and whether they are expired", () => {
    const rows = rowsOf(
      shown(
        {
          id: "k1",
          name: EVIL,
          scopes: ["issue", "read"],
          namespaces: ["default", "js53"],
          createdAt: "2026-01-01T00:00:00.000Z",
          expiresAt: "2099-01-31T00:00:00.000Z",
        },
        { id: "k2", scopes: ["admin", 7, null], expiresAt: "2026-05-31T00:00:00.000Z" },
        { id: "k3", name: "odd", scopes: [], namespaces: 7, expiresAt: "soon" },
        { id: "k4", name: "soon over", scopes: [], expiresAt: "2026-06-07T12:00:00.000Z" },
        { id: "k5", name: "endless", scopes: [] },
      ),
    );
    const cells = (name: string) => rows.get(name)?.slice(0, 5);
    const until = "2099-01-31T00:00:00.000Z";
    const [created, end] = ["2026-01-01", `in 72 years ${until}`];
    expect(cells(EVIL)).toEqual(["issue, read", "default, js53", created, end, "k1"]);
    expect(cells("soon over")?.[3]).toMatch(/^in 6 days /);
    expect(cells("unnamed")?.[3]).toMatch(/^expired 1 day ago /);
    expect(cells("odd")).toEqual(["", "all", "", "soon", "k3"]);
    expect(cells("endless")?.[3]).toBe("never");
  });

  it("say so if only the administrator's key exists", () => {
    expect(wordsOf(shown())).toMatch(/No API keys here, except the administrator’s own/);
  });
});

describe("issued IDs", () => {
  const input = { name: "js53", count: "3", encoding: "base58", key: "" };

  it("open in Decode, in their encoding", () => {
    const html = htmlOf(Ids({ got: { input, ids: ["abc", "abd"] } }));
    expect(html).toContain('<a href="#/decode/js53/abc?encoding=base58">abc</a>');
    expect(wordsOf(html)).not.toContain("more");
  });

  it("are shown up to a hundred, and all are copied", () => {
    const ids = Array.from({ length: 10_000 }, (_, id) => `${id}`);
    const html = htmlOf(Ids({ got: { input, ids } }));
    expect(html.split("<li>").length - 1).toBe(100);
    expect(wordsOf(html)).toContain("… and 9900 more.");
  });

  it.each(["", "0", "10001", "1.5", "007", "-1", "1e3"])(
    "a count of %j: says which counts are allowed",
    (count) => {
      expect(problemOf({ ...input, count })).toMatchObject({
        field: "Count",
        message: "Count must be an integer from 1 to 10,000.",
      });
    },
  );

  it("an invalid name: the error belongs to its field", () => {
    expect(problemOf({ ...input, name: "no/name" })?.field).toBe("Namespace");
    expect(problemOf(input)).toBeUndefined();
  });
});
