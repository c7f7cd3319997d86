import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import {
  type DesignInput,
  designAddress,
  designed,
  designIn,
} from "../../src/console/design/design-input.ts";
import { facts, limitUses, shardsUse } from "../../src/console/design/layout-facts.ts";
import { PUBLISHED } from "../../src/console/design/published.ts";
import { parseRoute } from "../../src/console/route.ts";
import { decodedId } from "../../src/core/layout/decoded.ts";
import { POLICY_FIELDS } from "../../src/core/layout/fields.ts";
import { type LayoutSpec, layoutOf, makeLayout } from "../../src/core/layout/layout.ts";
import { PRESETS } from "../../src/core/layout/presets.ts";
import { defineNamespace } from "../../src/core/namespace/namespace.ts";
import { REGIONS } from "../../src/core/regions.ts";
import { NamespaceBody } from "../../src/http/parse/namespace-body.ts";
import { presetOf, VECTORS } from "../core/vectors.ts";

const NOW_MS = Date.UTC(2026, 5, 1);
const DATE_MS_MAX = 8.64e15;

/** Layouts at and just past every border, most of them near what can be. */
const specs: fc.Arbitrary<LayoutSpec> = fc.record({
  timestampBits: fc.oneof(fc.integer({ min: 25, max: 45 }), fc.integer({ min: 0, max: 54 })),
  datacenterBits: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 23 })),
  workerBits: fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 23 })),
  laneBits: fc.integer({ min: 0, max: 5 }),
  sequenceBits: fc.oneof(fc.integer({ min: 0, max: 16 }), fc.integer({ min: 0, max: 53 })),
  epochMs: fc.oneof(
    fc.integer({ min: 0, max: NOW_MS }),
    fc.constantFrom(-1, 0, 0.5, DATE_MS_MAX, DATE_MS_MAX + 1, Number.NaN),
  ),
  tickMs: fc.oneof(fc.constantFrom(1, 10, 1000), fc.constantFrom(0, 2, 60_000)),
  lanePlace: fc.constantFrom("aboveWorker", "belowWorker"),
  laneUse: fc.constantFrom("always", "back"),
});

const shardTexts = fc.oneof(
  fc.constantFrom("", "0", "1", "8", "512", "513", "1024", "1025", "-1", "1.5", "1e2", "x", "007"),
  fc.integer({ min: 1, max: 1100 }).map(String),
);
const regionTexts = fc.oneof(
  fc.constantFrom("", " , ", "weur", "WEUR", "weur;enam", "mars", "apac apac"),
  fc.array(fc.constantFrom(...REGIONS), { maxLength: 34 }).map((all) => all.join(", ")),
);
/** Some fields at and just past their borders, the others absent. */
const policyTexts: fc.Arbitrary<Record<string, string>> = fc.dictionary(
  fc.constantFrom(...Object.keys(POLICY_FIELDS)),
  fc.constantFrom("", "0", "1", "50", "100", "512", "1000", "60000", "60001", "-1", "1.5", "x"),
  { maxKeys: 3, noNullPrototype: true },
);
const presets = fc.constantFrom("", "", ...PRESETS.keys());
const inputs: fc.Arbitrary<Required<DesignInput>> = fc.record({
  spec: specs,
  preset: presets,
  shards: shardTexts,
  regions: regionTexts,
  policy: policyTexts,
});

/** The service's parse of a body given as text. */
function made(text: string) {
  const parsed = v.safeParse(NamespaceBody, JSON.parse(text));
  return parsed.success ? defineNamespace(parsed.output) : undefined;
}

describe("the body of a design", () => {
  it("is accepted by the service, and means the same there", () => {
    let taken = 0;
    fc.assert(
      fc.property(inputs, (input) => {
        const design = designed(input);
        if (!design.ok) return;
        taken += 1;
        const reply = made(JSON.stringify(design.body));
        if (reply?.kind !== "defined" || reply.definition.kind !== "snowflake") {
          throw new Error(`rejected: ${JSON.stringify(reply)}`);
        }
        expect(layoutOf(reply.definition.layout)).toEqual(design.layout);
        expect(reply.definition).toEqual(design.definition);
      }),
      { numRuns: 3000 },
    );
    expect(taken).toBeGreaterThan(50);
  });

  it("is absent exactly if the service rejects the same layout, shards or policy", () => {
    let refused = 0;
    fc.assert(
      fc.property(inputs, ({ spec, preset, shards, policy }) => {
        const numbers = Object.entries(policy).flatMap(([name, text]) => {
          return text === "" ? [] : [[name, Number(text)] as const];
        });
        const body = {
          kind: "snowflake",
          ...(preset === "" ? { layout: spec } : { preset }),
          policy: Object.fromEntries(numbers),
          // As the page reads it: 7 of 007, and nothing of what is no number.
          ...(shards !== "" && { shards: /^\d+$/.test(shards) ? Number(shards) : shards }),
        };
        const isTaken = made(JSON.stringify(body))?.kind === "defined";
        if (!isTaken) refused += 1;
        expect(designed({ spec, preset, shards, policy }).ok).toBe(isTaken);
      }),
      { numRuns: 3000 },
    );
    expect(refused).toBeGreaterThan(50);
  });

  it("says why shards or regions are invalid", () => {
    const { spec } = presetOf("js53");
    expect(designed({ spec, shards: "9" })).toMatchObject({
      ok: false,
      errors: [{ field: "shards", detail: expect.stringMatching(/from 1 to 8/) }],
    });
    expect(designed({ spec, regions: "weur mars" })).toMatchObject({
      errors: [
        { field: "regions", detail: expect.stringMatching(/^must be 1 to 32 of wnam, enam/) },
      ],
    });
    expect(designed({ spec, shards: "8", regions: "weur, apac" })).toMatchObject({
      definition: { shards: 8 },
      body: { shards: 8, regions: ["weur", "apac"] },
    });
  });

  it("names the preset, and the fields alone of its policy that were set", () => {
    const { spec } = presetOf("default");
    const policy = { maxBorrowMs: "500", maxWaitMs: "", reserveMs: "601" };
    expect(designed({ spec, preset: "twitter", policy })).toMatchObject({
      errors: [{ field: "policy.reserveMs", max: 600 }],
    });
    const { body } = okOf(
      designed({ spec, preset: "twitter", policy: { ...policy, reserveMs: "" } }),
    );
    expect(body).toEqual({ kind: "snowflake", preset: "twitter", policy: { maxBorrowMs: 500 } });
  });

  it("omits lanes, shards and regions that were not set", () => {
    const { body } = okOf(designed({ spec: { ...presetOf("default").spec, laneUse: "back" } }));
    expect(body).toEqual({ kind: "snowflake", layout: presetOf("default").spec });
  });
});

describe("the address of a design", () => {
  it("is parsed back as written", () => {
    fc.assert(
      fc.property(inputs, fc.string({ unit: "grapheme", minLength: 1 }), (input, id) => {
        const { spec, preset, shards, regions } = input;
        fc.pre(Number.isInteger(spec.epochMs) && spec.epochMs >= 0 && spec.epochMs <= DATE_MS_MAX);
        fc.pre(spec.tickMs > 0);
        const route = parseRoute(designAddress(input, id, { encoding: "hex" }));
        expect(route.parts).toEqual([id]);
        expect(route.query.encoding).toBe("hex");
        const { lanePlace: _, laneUse: __, ...laneless } = spec;
        const expected = spec.laneBits > 0 ? spec : laneless;
        expect(designIn(route)).toMatchObject({ preset, shards, regions });
        if (preset === "") expect(designIn(route).spec).toEqual(expected);
        expect(designed(designIn(route))).toEqual(designed(input));
      }),
    );
  });

  it("is parsed even if it is damaged", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("bits", "epoch", "tick"), fc.string()), (query) => {
        const route = { section: "design", parts: [], query: { ...query } };
        expect(() => designed(designIn(route))).not.toThrow();
      }),
    );
    const { spec } = designIn(parseRoute("#/design?bits=1.2.3&epoch=soon&tick=x&laneUse=never"));
    expect(spec).toEqual(presetOf("default").spec);
  });

  it("without a layout means the preset; with a part of one or an ID, a layout of one’s own", () => {
    const presetAt = (hash: string): string => designIn(parseRoute(hash)).preset;
    expect(presetAt("#/design")).toBe("default");
    expect(presetAt("#/design?name=orders&preset=js53")).toBe("js53");
    for (const own of ["#/design?bits=41.0.10.0.12", "#/design?tick=10", "#/design/175928"]) {
      expect(presetAt(own)).toBe("");
    }
  });
});

describe("published layouts", () => {
  it.each([...PUBLISHED])("%s decodes a published ID", (name, spec) => {
    const vector = VECTORS.find(({ title }) => title === name);
    expect(vector).toBeDefined();
    const said = decodedId(layoutOf(spec), vector?.id ?? -1n);
    expect(said).toMatchObject({ ...vector?.parts, unixMs: vector?.unixMs });
  });
});

/** Computed again from the text of the design, without the product's code. */
describe("the facts of ten layouts", () => {
  it.each([
    ["default", "41.0.10.0.12", 1_735_689_600_000, 1, "always"],
    ["lanes for a clock that went back", "41.3.5.2.12", 1_580_486_400_000, 1, "back"],
    ["16 lanes", "39.0.4.4.14", 1_735_689_600_000, 1, "always"],
    ["no worker bits", "41.0.0.0.12", 0, 1, "always"],
    ["22 worker bits", "31.0.22.0.10", 1_735_689_600_000, 1000, "always"],
    ["tick of 1 s, two lanes", "32.0.4.1.16", 1_546_300_800_000, 1000, "always"],
    ["tick of 10 ms", "39.0.16.0.8", 1_409_529_600_000, 10, "always"],
    ["one worker bit", "40.0.1.0.12", 1_735_689_600_000, 1, "always"],
    ["53 bits of time", "53.0.4.0.0", 0, 1, "always"],
    ["52 bits of sequence", "1.0.10.0.52", 0, 1000, "always"],
  ] as const)("%s", (_title, bits, epochMs, tickMs, laneUse) => {
    const [ts = 0, dc = 0, worker = 0, lane = 0, seq = 0] = bits.split(".").map(Number);
    const route = parseRoute(
      `#/design?bits=${bits}&epoch=${epochMs}&tick=${tickMs}&laneUse=${laneUse}`,
    );
    const { layout, definition } = okOf(designed(designIn(route)));
    const said = Object.fromEntries(facts(layout, definition.shards, NOW_MS));
    const total = BigInt(ts + dc + worker + lane + seq);
    expect(said.Bits).toBe(`${total}; the largest ID is ${2n ** total - 1n}`);
    const lanes = laneUse === "always" ? 2n ** BigInt(lane) : 1n;
    const perSecond = (2n ** BigInt(seq) * lanes * 1000n) / BigInt(tickMs);
    const grouped = (value: bigint): string => `${value}`.replace(/\B(?=(\d{3})+$)/g, ",");
    expect(said["IDs per second and shard"]).toBe(grouped(perSecond));
    const workers = 2n ** BigInt(dc + worker);
    const half = workers / 2n;
    const most = workers === 1n ? 1n : half < 1024n ? half : 1024n;
    const some = most < 8n ? most : 8n;
    expect(said.Shards).toBe(`${some} by default, at most ${grouped(most)}`);
    expect(said["IDs per second in total"]).toBe(
      `${grouped(perSecond * some)}; with all shards ${grouped(perSecond * most)}`,
    );
    expect(said["Worker IDs for leases"]).toBe(workers === 1n ? "none" : grouped(workers - half));
    expect(said["In JavaScript"]).toMatch(total <= 53n ? /^safe/ : /^not safe/);
    const endMs = BigInt(epochMs) + 2n ** BigInt(ts) * BigInt(tickMs);
    const end = endMs > 8_640_000_000_000_000n ? "after the year 275760" : dayOf(endMs);
    expect(said["Runs out"]?.startsWith(end)).toBe(true);
  });

  it("limits that are reached say by how much, and why", () => {
    const spec = { ...presetOf("default").spec, datacenterBits: 13 };
    expect(makeLayout(spec).ok).toBe(false);
    expect(limitUses(spec).map(({ used, most }) => [used, most])).toEqual([
      [53, 53],
      [23, 22],
      [76, 63],
    ]);
    const shards = (workerBits: number) =>
      shardsUse(layoutOf({ ...presetOf("default").spec, workerBits, timestampBits: 31 }), 9);
    expect(shards(0)).toMatchObject({
      used: 9,
      most: 1,
      why: expect.stringMatching(/has one shard/),
    });
    expect(shards(4).why).toMatch(/lower half/);
    expect(shards(12)).toMatchObject({ most: 1024, why: expect.stringMatching(/key/) });
  });
});

/** A day of a unix time, by the civil calendar and not by Date. */
function dayOf(unixMs: bigint): string {
  let days = unixMs / 86_400_000n;
  let year = 1970n;
  const isLeap = (of: bigint): boolean => (of % 4n === 0n && of % 100n !== 0n) || of % 400n === 0n;
  for (;;) {
    const length = isLeap(year) ? 366n : 365n;
    if (days < length) break;
    days -= length;
    year += 1n;
  }
  let month = 0;
  for (const length of [
    31n,
    isLeap(year) ? 29n : 28n,
    31n,
    30n,
    31n,
    30n,
    31n,
    31n,
    30n,
    31n,
    30n,
  ]) {
    if (days < length) break;
    days -= length;
    month += 1;
  }
  const two = (value: number | bigint): string => `${value}`.padStart(2, "0");
  // ISO 8601 has six digits and a sign for years beyond four.
  const years = year > 9999n ? `+${`${year}`.padStart(6, "0")}` : `${year}`;
  return year > 9999n ? years : `${years}-${two(month + 1)}-${two(days + 1n)}`;
}

function okOf(design: ReturnType<typeof designed>) {
  if (!design.ok) throw new Error(JSON.stringify(design.errors));
  return design;
}
