/** The section Namespaces: rows of the list, changes, and the words on its pages. */
import fc from "fast-check";
import { h } from "preact";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { changeOf, presetPolicyOf, textsOf } from "../../src/console/namespace/change.ts";
import { describedIn } from "../../src/console/namespace/definition.ts";
import { Review } from "../../src/console/namespace/edit-form.tsx";
import { matching, meant, rowOf } from "../../src/console/namespace/list.ts";
import { Policy } from "../../src/console/namespace/namespace-facts.tsx";
import { Found } from "../../src/console/namespace/namespace-list.tsx";
import { firstIds, segmentChecked } from "../../src/console/namespace/segment-input.ts";
import type { Texts } from "../../src/console/namespace/texts.ts";
import { PRESETS } from "../../src/core/layout/presets.ts";
import {
  defineNamespace,
  type NamespaceDefinition,
  type NamespaceInput,
  type SnowflakeDefinition,
} from "../../src/core/namespace/namespace.ts";
import { patchNamespace } from "../../src/core/namespace/namespace-patch.ts";
import { NamespaceBody, namespacePatchBodyOf } from "../../src/http/parse/namespace-body.ts";
import { expectHarmless, htmlOf, rowsOf, wordsOf } from "./view.ts";

function defined(input: NamespaceInput): NamespaceDefinition {
  const result = defineNamespace(input);
  if (result.kind !== "defined") throw new Error(JSON.stringify(result));
  return result.definition;
}

function snowflake(input: object): SnowflakeDefinition {
  const definition = defined({ kind: "snowflake", ...input });
  if (definition.kind !== "snowflake") throw new Error("it is a segment");
  return definition;
}

/** A description as the service sends it. */
function answer(name: string, input: NamespaceInput, more: object = {}) {
  const text = JSON.stringify({ name, ...defined(input), builtIn: false, retired: false, ...more });
  return { ...JSON.parse(text) };
}

const ORDERS = answer("orders", { kind: "snowflake", preset: "twitter" });
const INVOICES = answer("Invoices", { kind: "segment", step: 2000, max: "1000000" });
const ALL = [
  answer("default", { kind: "snowflake" }, { builtIn: true }),
  INVOICES,
  answer("js53", { kind: "snowflake", preset: "js53" }, { builtIn: true }),
  answer("old-orders", { kind: "snowflake" }, { retired: true }),
  ORDERS,
];

describe("a description", () => {
  it.each([...PRESETS.keys()])("of %s is read as the service means it", (preset) => {
    const input = {
      kind: "snowflake",
      preset,
      shards: 3,
      regions: ["apac", "weur", "apac"],
    } as const;
    expect(describedIn(answer("mine", input))?.definition).toEqual(defined(input));
  });

  it("of a segment is read with all digits of its max", () => {
    const input = { kind: "segment", max: "9223372036854775807", delta: 3, remainder: 2 } as const;
    expect(describedIn(answer("mine", input))?.definition).toEqual(defined(input));
  });

  it.each([
    {},
    { kind: "ring" },
    { ...ORDERS, policy: { maxBorrowMs: 1 } },
    { ...ORDERS, layout: 7 },
    { ...INVOICES, max: 1e6 },
    { ...INVOICES, step: "2" },
  ])("of another version is not shown with wrong values (%#)", (other) => {
    expect(describedIn(other)).toBeUndefined();
    expect(rowOf({ ...other, name: "odd" })).toMatchObject({ form: "–", until: "–" });
  });
});

describe("the list", () => {
  const rows = ALL.map(rowOf);
  const shown = (text: string, isPartial = false): string => {
    const html = htmlOf(Found({ rows, text, isPartial }));
    expectHarmless(html);
    return html;
  };

  it("shows kind, layout, shards, the end, and whether one is built in or retired", () => {
    const cells = rowsOf(shown(""));
    expect(cells.get("js53 built in")?.slice(0, 4)).toEqual([
      "snowflake",
      "32·1·4·16, 1 s",
      "8",
      "2155-02-07",
    ]);
    expect(cells.get("Invoices")?.slice(0, 4)).toEqual([
      "segment",
      "numbers, step 2,000",
      "–",
      "number 1,000,000",
    ]);
    expect(cells.get("orders")?.at(-1)).toBe("Shards Request IDs");
    // It issues nothing.
    expect(cells.get("old-orders retired")?.at(-1)).toBe("Shards");
    expect(shown("")).toContain('href="#/namespaces/orders"');
  });

  it.each([
    ["", 5, "5 namespaces"],
    ["ORD", 2, "2 of 5 namespaces match"],
    ["segment", 1, "1 of 5 namespaces matches"],
    ["41·5", 1, "1 of 5 namespaces matches"],
    ["parcels", 0, "None of 5 namespaces match"],
  ])("finds %j in names, kinds and layouts, and says how many", (text, count, words) => {
    expect(matching(rows, text).length).toBe(count);
    expect(wordsOf(shown(text))).toMatch(new RegExp(`^${words}`));
  });

  it("opens what a search means: that name, or the only match", () => {
    expect(meant(rows, "orders")).toBe("orders");
    expect(meant(rows, "invo")).toBe("Invoices");
    expect(meant(rows, "ord")).toBeUndefined();
  });

  it("offers to create a name that it does not have, and to open it if the list is too long", () => {
    expect(shown("parcels")).toContain('href="#/design?name=parcels"');
    expect(shown("parcels")).not.toContain('href="#/namespaces/parcels"');
    expect(shown("parcels", true)).toContain('href="#/namespaces/parcels"');
    expect(wordsOf(shown("", true))).toContain("The list ends here after 5 names.");
    expect(shown("no name")).not.toContain("#/design");
  });
});

/** The result of a PATCH body at the service. */
function patched(stored: NamespaceDefinition, body: unknown) {
  const parsed = v.safeParse(namespacePatchBodyOf({ ...Object(body) }, stored.kind), body);
  return parsed.success ? patchNamespace(parsed.output, stored) : undefined;
}

const numbers = fc.constantFrom("", "0", "1", "8", "9", "100", "1000", "60000", "60001", "-1", "x");
const STORED = [
  snowflake({ preset: "default" }),
  snowflake({ preset: "twitter", policy: { maxBorrowMs: 500 } }),
  snowflake({ preset: "js53", shards: 4 }),
  defined({ kind: "segment", max: "1000", delta: 10, step: 50, description: "Invoices" }),
];

describe("a change", () => {
  it("is what the service makes of its body, and keeps all fields that it does not name", () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...STORED).chain((stored) => {
          const names = fc.constantFrom(...Object.keys(textsOf(stored)));
          const part = fc.dictionary(names, numbers, { maxKeys: 3, noNullPrototype: true });
          return part.map((typed) => ({ stored, typed }));
        }),
        ({ stored, typed }) => {
          const change = changeOf(stored, { ...textsOf(stored), ...typed });
          if (!change.ok) {
            expect(change.errors.length).toBeGreaterThan(0);
            return;
          }
          accepted += 1;
          expect(patched(stored, change.body)).toEqual({
            kind: "defined",
            definition: change.after,
          });
          const [before, after] = [textsOf(stored), textsOf(change.after)];
          const differing = Object.keys(before).filter((name) => before[name] !== after[name]);
          expect(change.fields.map(({ field }) => field).sort()).toEqual(differing.sort());
          expect(change.fields.length === 0).toBe(JSON.stringify(change.body) === "{}");
        },
      ),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  const [, twitter = snowflake({})] = STORED;
  const of = (stored: NamespaceDefinition, typed: Texts) =>
    changeOf(stored, { ...textsOf(stored), ...typed });

  it("returns an emptied field to the preset by null", () => {
    expect(of(twitter, { maxBorrowMs: "", reserveMs: "" })).toMatchObject({
      ok: true,
      body: { policy: { maxBorrowMs: null, reserveMs: null } },
      fields: [
        { field: "maxBorrowMs", now: "500", next: "0", isReset: true },
        { field: "reserveMs", now: "600", next: "50", isReset: true },
      ],
    });
    // The value is the preset's already.
    expect(of(twitter, { maxWaitMs: "" })).toMatchObject({ ok: true, body: {}, fields: [] });
  });

  it.each([
    [{ shards: "7" }, "shards", /can only grow, from 8/],
    [{ shards: "513" }, "shards", /from 1 to 512/],
    [{ shards: "" }, "shards", /can only grow/],
    [{ maxBorrowMs: "60001" }, "maxBorrowMs", /from 0 to 60000/],
    [{ maxBorrowMs: "0" }, "policy.reserveMs", /from 1 to 100/],
  ])("%j: says what is wrong with it", (typed, field, words) => {
    expect(of(twitter, typed)).toMatchObject({
      ok: false,
      errors: [{ field, detail: expect.stringMatching(words) }],
    });
  });

  it("of a segment: max grows, step is at least delta, and the description may go", () => {
    const stored = STORED[3] ?? twitter;
    expect(of(stored, { max: "2000", description: "", step: "" })).toMatchObject({
      body: { max: "2000", description: "", step: null },
    });
    expect(of(stored, { max: "999" })).toMatchObject({ errors: [{ field: "max" }] });
    expect(of(stored, { step: "9" })).toMatchObject({ errors: [{ field: "step", min: 10 }] });
    expect(of(stored, { description: "x".repeat(257) })).toMatchObject({
      errors: [{ field: "description" }],
    });
  });

  it("of nothing has no fields, even if a stored text begins or ends with a space", () => {
    const stored = defined({ kind: "segment", description: " Invoices " });
    expect(of(stored, {})).toMatchObject({ ok: true, body: {}, fields: [] });
  });

  it("is shown before it is sent: each field now and new, and the body", () => {
    const change = of(twitter, { maxBorrowMs: "", reserveMs: "", leaseTtlMaxMs: "60000" });
    if (!change.ok) throw new Error("it is refused");
    const html = htmlOf(
      h(Review, {
        request: "PATCH /v1/namespaces/orders",
        change,
        isBusy: false,
        onConfirm: () => undefined,
        onCancel: () => undefined,
      }),
    );
    expect(Object.fromEntries(rowsOf(html))).toEqual({
      maxBorrowMs: ["500 ms", "0 ms (default)"],
      reserveMs: ["600 ms", "50 ms (default)"],
      leaseTtlMaxMs: ["600,000 ms (10 min)", "60,000 ms (1 min)"],
    });
    expect(wordsOf(html)).toContain('"maxBorrowMs": null');
  });
});

describe("a policy", () => {
  it("is shown with the preset's values, and with the meaning of each field", () => {
    const stored = snowflake({ preset: "twitter", policy: { maxBorrowMs: 500 } });
    // It follows from the other fields, and is no other value.
    expect(presetPolicyOf(stored)).toMatchObject({
      maxBorrowMs: 0,
      maxWaitMs: 100,
      reserveMs: 600,
    });
    const rows = rowsOf(htmlOf(h(Policy, { definition: stored })));
    expect(rows.get("maxBorrowMs")).toEqual([
      "500 ms",
      "0 ms",
      "How far demand may push IDs ahead of the clock, in ms",
    ]);
    expect(rows.get("maxWaitMs")?.[1]).toBe("the same");
    expect(rows.size).toBe(8);
  });
});

describe("a new segment", () => {
  const texts = fc.dictionary(
    fc.constantFrom("step", "start", "max", "delta", "remainder", "description"),
    fc.constantFrom(
      "",
      "0",
      "1",
      "7",
      "10",
      "1000000",
      "1000001",
      "9223372036854775808",
      "-1",
      "x",
    ),
    { noNullPrototype: true },
  );

  it("is accepted by the service, or says which fields are wrong", () => {
    let refused = 0;
    fc.assert(
      fc.property(texts, (typed) => {
        const checked = segmentChecked(typed);
        if (!checked.ok) {
          refused += 1;
          expect(Object.keys(typed)).toEqual(
            expect.arrayContaining(
              checked.errors.map(({ field }) => field).filter((field) => field in typed),
            ),
          );
          return;
        }
        const body = v.parse(NamespaceBody, JSON.parse(JSON.stringify(checked.body)));
        expect(defined(body)).toEqual(checked.definition);
      }),
    );
    expect(refused).toBeGreaterThan(10);
  });

  it("names its first IDs", () => {
    const first = (typed: Texts): readonly string[] => {
      const checked = segmentChecked(typed);
      if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
      return firstIds(checked.definition);
    };
    expect(first({})).toEqual(["1", "2", "3", "…"]);
    expect(first({ delta: "10", remainder: "3", max: "20" })).toEqual(["3", "13"]);
  });
});
