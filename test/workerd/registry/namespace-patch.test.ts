/** PATCH of own namespaces: a JSON merge patch (RFC 7396) changes the fields that it names, and no other. */
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ADMIN } from "../../../src/core/api-key.ts";
import { fieldsOf } from "../../../src/core/json.ts";
import { ask, CLOSED, keyFor, patch, put, revokedElsewhere } from "../../support/admin.ts";
import { useClock } from "../../support/clock.ts";

useClock();

const RUNS = 40;
const MERGE_PATCH = "application/merge-patch+json";
const POLICY = {
  maxStepBackMs: 5000,
  maxBorrowMs: 700,
  maxWaitMs: 40,
  randomStart: 3,
  reserveMs: 60,
  freshForMs: 99,
  leaseTtlMaxMs: 70_000,
  leasesPerKeyMax: 5,
};
const SNOWFLAKE = { kind: "snowflake", preset: "leaf", policy: POLICY, shards: 9, keyShards: 4 };
const SEGMENT = { kind: "segment", start: 5, max: 5000, delta: 3, remainder: 2, step: 60 };
const BASES = { snowflake: SNOWFLAKE, segment: SEGMENT };

/** A new namespace's name. */
let made = 0;
async function someNamespace(body: object): Promise<string> {
  made += 1;
  const name = `patched-${made}`;
  const { status, text } = await put(name, body);
  if (status !== 201) throw new Error(`${name} was not made: ${text}`);
  return name;
}

async function shown(name: string): Promise<Record<string, unknown>> {
  return (await ask(`/v1/namespaces/${name}`)).body;
}

/** MergePatch as RFC 7396, section 2, writes it. */
function mergePatch(target: unknown, change: unknown): unknown {
  if (typeof change !== "object" || change === null || Array.isArray(change)) return change;
  const merged = { ...fieldsOf(target) };
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

const OF_THE_ANSWER = ["name", "createdAt", "builtIn", "retired"];
/** A namespace's fields without those that only an answer has, and without others. */
function definitionOf(body: unknown, ...without: string[]): Record<string, unknown> {
  const left = [...OF_THE_ANSWER, ...without];
  return Object.fromEntries(
    Object.entries(fieldsOf(body)).filter(([name]) => !left.includes(name)),
  );
}

const numberOrNull = (...values: number[]) => fc.constantFrom(null, ...values);
const policies = fc.record(
  {
    maxStepBackMs: numberOrNull(0, 1000, 86_400_000),
    maxBorrowMs: numberOrNull(0, 30, 60_000),
    maxWaitMs: numberOrNull(0, 20, 10_000),
    randomStart: numberOrNull(0, 4096),
    reserveMs: numberOrNull(1, 100, 60_000),
    freshForMs: numberOrNull(0, 250),
    leaseTtlMaxMs: numberOrNull(5000, 86_400_000),
    leasesPerKeyMax: numberOrNull(1, 512),
  },
  { requiredKeys: [] },
);
const snowflakePatches = fc.record(
  {
    kind: fc.constant("snowflake"),
    policy: fc.option(policies),
    shards: fc.integer({ min: 9, max: 20 }),
    keyShards: fc.constant(4),
    layout: fc.constantFrom({}, { workerBits: 10 }, { tickMs: 1, epochMs: 1_288_834_974_657 }),
  },
  { requiredKeys: [] },
);
const segmentPatches = fc.record(
  {
    kind: fc.constant("segment"),
    step: fc.constantFrom(null, 3, 60, 1_000_000),
    description: fc.constantFrom(null, "", "of 2026"),
    max: fc.constantFrom("5000", "6000", "9223372036854775807"),
    delta: fc.constant(3),
  },
  { requiredKeys: [] },
);

/** A field that the patch removes has its default, as after a PUT without it. A refused patch changes nothing. */
async function expectMerged(base: object, change: object, without: string): Promise<void> {
  const name = await someNamespace(base);
  const before = await shown(name);
  const merged = mergePatch(before, change);
  const answer = await patch(name, change);
  made += 1;
  const fresh = await put(`fresh-${made}`, definitionOf(merged, without));
  // A patch is rejected if the merged namespace would be.
  expect([answer.status, fresh.status]).toEqual(fresh.status === 201 ? [200, 201] : [400, 400]);
  expect(answer.body.errors).toEqual(fresh.body.errors);
  const after = await shown(name);
  const whole = fresh.status === 201 ? fresh.body : before;
  expect(definitionOf(after)).toEqual(definitionOf(whole));
  if (answer.status !== 200) return;
  expect(after).toMatchObject(fieldsOf(merged));
  expect(after).toEqual(answer.body);
}

describe("PATCH, then GET, equals the merge of RFC 7396", () => {
  it("for snowflake namespaces", async () => {
    const property = (change: object) => expectMerged(SNOWFLAKE, change, "layout");
    await fc.assert(fc.asyncProperty(snowflakePatches, property), { numRuns: RUNS });
  });

  it("for segment namespaces", async () => {
    const property = (change: object) => expectMerged(SEGMENT, change, "");
    await fc.assert(fc.asyncProperty(segmentPatches, property), { numRuns: RUNS });
  });

  it("for {}, which changes nothing", async () => {
    for (const base of Object.values(BASES)) {
      const name = await someNamespace(base);
      const before = await shown(name);
      expect(await patch(name, {})).toMatchObject({ status: 200, body: before });
      expect(await shown(name)).toEqual(before);
    }
  });
});

describe("PATCH", () => {
  it("R2 of different fields at the same time: all apply", async () => {
    const name = await someNamespace({ ...SNOWFLAKE, policy: {} });
    const changes = Object.entries(POLICY).map(([field, value]) => ({
      policy: { [field]: value },
    }));
    const answers = await Promise.all([
      ...changes.map((change) => patch(name, change)),
      patch(name, { shards: 11 }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await shown(name)).toMatchObject({ policy: POLICY, shards: 11 });
  });

  it("changes what this isolate serves at once", async () => {
    const name = await someNamespace(SNOWFLAKE);
    expect((await ask(`/v1/blocks/${name}`)).body).toMatchObject({ freshForMs: 99 });
    await patch(name, { policy: { freshForMs: 5 } });
    expect((await ask(`/v1/blocks/${name}`)).body).toMatchObject({ freshForMs: 5 });
  });

  it("keeps another isolate's latest change", async () => {
    const name = await someNamespace(SNOWFLAKE);
    await ask(`/v1/ids/${name}`);
    const elsewhere = { kind: "snowflake", policy: { ...POLICY, maxWaitMs: 33 } } as const;
    await env.REGISTRY.getByName("registry").putNamespace(name, elsewhere, ADMIN.id);
    const { body } = await patch(name, { policy: { freshForMs: 5 } });
    expect(body.policy).toEqual({ ...POLICY, maxWaitMs: 33, freshForMs: 5 });
  });

  it("may name another preset of the same layout: null then resets to its values", async () => {
    const { layout } = (await ask("/v1/namespaces/twitter")).body;
    const name = await someNamespace({ kind: "snowflake", layout, policy: POLICY });
    expect((await patch(name, { preset: "twitter" })).body).toMatchObject({
      preset: "twitter",
      policy: POLICY,
    });
    const { body } = await patch(name, { policy: { maxBorrowMs: null, maxWaitMs: null } });
    expect(body.policy).toEqual({ ...POLICY, maxBorrowMs: 0, maxWaitMs: 100 });
  });

  it.each([MERGE_PATCH, `${MERGE_PATCH}; charset=utf-8`, "Application/Merge-Patch+JSON"])(
    "accepts the content type %s, unlike all other routes",
    async (type) => {
      const name = await someNamespace(SEGMENT);
      const headers = { "content-type": type };
      expect((await patch(name, { step: 90 }, { headers })).body).toMatchObject({ step: 90 });
      const other = await ask(`/v1/namespaces/${name}`, { method: "PUT", json: SEGMENT, headers });
      expect([other.status, other.body.code]).toEqual([415, "unsupported_media_type"]);
    },
  );
});

describe("PATCH is rejected", () => {
  it.each<[kind: keyof typeof BASES, change: object, field: string]>([
    ["snowflake", { kind: "segment" }, "kind"],
    ["snowflake", { kind: "segment", step: 5 }, "kind"],
    ["snowflake", { layout: { epochMs: 5 } }, "layout"],
    ["snowflake", { preset: "default" }, "layout"],
    ["snowflake", { regions: ["weur"] }, "regions"],
    ["snowflake", { keyShards: 5 }, "keyShards"],
    ["snowflake", { shards: 8 }, "shards"],
    ["segment", { kind: "snowflake" }, "kind"],
    ["segment", { start: 6 }, "start"],
    ["segment", { delta: 4 }, "delta"],
    ["segment", { remainder: 1 }, "remainder"],
    ["segment", { max: 4999 }, "max"],
  ])("N1 N2 N3 of a %s namespace by %j: 409 layout_conflict", async (kind, change, field) => {
    const name = await someNamespace(BASES[kind]);
    const before = await shown(name);
    const { status, body } = await patch(name, change);
    expect([status, body.code]).toEqual([409, "layout_conflict"]);
    expect(body.detail).toContain(`another ${field}.`);
    expect(await shown(name)).toEqual(before);
  });

  it.each<[kind: keyof typeof BASES, change: object, field: string, detail: RegExp]>([
    ["snowflake", { kind: null }, "kind", /^can't be null/],
    ["snowflake", { preset: null }, "preset", /^can't be null/],
    ["snowflake", { layout: null }, "layout", /^can't be null/],
    ["snowflake", { layout: { epochMs: null } }, "layout.epochMs", /^can't be null/],
    ["snowflake", { layout: { laneUse: null } }, "layout.laneUse", /^can't be null/],
    ["snowflake", { shards: null }, "shards", /^can't be null.* 1 to 1024/],
    ["snowflake", { regions: null }, "regions", /^can't be null/],
    ["snowflake", { keyShards: null }, "keyShards", /^can't be null/],
    ["segment", { start: null }, "start", /^can't be null/],
    ["segment", { max: null }, "max", /^can't be null/],
    ["segment", { delta: null }, "delta", /^can't be null/],
    ["segment", { remainder: null }, "remainder", /^can't be null/],
    ["snowflake", { name: "other" }, "name", /unknown field/],
    ["snowflake", { retired: false }, "retired", /unknown field/],
    ["snowflake", { policy: { novel: 1 } }, "policy.novel", /unknown field/],
    ["snowflake", { layout: { novel: 1 } }, "layout.novel", /unknown field/],
    ["snowflake", { step: 5 }, "step", /unknown field/],
    ["segment", { policy: {} }, "policy", /unknown field/],
    ["snowflake", { kind: "uuid" }, "kind", /snowflake or segment/],
    ["snowflake", { layout: { timestampBits: 53 } }, "layout", /cannot be/],
    ["snowflake", { preset: "leaf", layout: {} }, "layout", /mutually exclusive/],
    ["snowflake", { policy: { maxWaitMs: -1 } }, "policy.maxWaitMs", /0 to 10000/],
    ["snowflake", { policy: { randomStart: 4097 } }, "policy.randomStart", /0 to 4096/],
    ["segment", { step: 2 }, "step", /at least delta/],
  ])("of a %s namespace by %j: 400 names %s", async (kind, change, field, detail) => {
    const name = await someNamespace(BASES[kind]);
    const before = await shown(name);
    const { status, body } = await patch(name, change);
    expect([status, body.code]).toEqual([400, "invalid_body"]);
    expect(body.errors).toContainEqual(
      expect.objectContaining({ field, detail: expect.stringMatching(detail) }),
    );
    expect(await shown(name)).toEqual(before);
  });

  it.each<[name: string, status: number, code: string]>([
    ["default", 403, "builtin_namespace"],
    ["segment", 403, "builtin_namespace"],
    ["nobody-made-it", 404, "unknown_namespace"],
    ["1abc", 404, "unknown_namespace"],
  ])("of %s: %i %s", async (name, status, code) => {
    const answer = await patch(name, { description: "mine" });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it.each([
    ["too large", { rawBody: `"${"x".repeat(20_000)}"` }, 413, "body_too_large"],
    [
      "of another type",
      { headers: { "content-type": "text/plain" } },
      415,
      "unsupported_media_type",
    ],
    ["a JSON Patch", { rawBody: '[{"op":"remove","path":"/step"}]' }, 400, "invalid_body"],
    ["null", { rawBody: "null" }, 400, "invalid_body"],
  ])("with a body that is %s", async (_, asked, status, code) => {
    const name = await someNamespace(SEGMENT);
    const headers = { "content-type": MERGE_PATCH };
    const answer = await patch(name, undefined, { rawBody: "{}", headers, ...asked });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it("R3 to a key that was revoked elsewhere", async () => {
    const name = await someNamespace(SEGMENT);
    const { key, id } = await keyFor({ scopes: ["admin"] });
    expect((await patch(name, { step: 90 }, { key })).status).toBe(200);
    await revokedElsewhere(id);
    const { status, body } = await patch(name, { step: 33 }, { key });
    expect([status, body.code]).toEqual([401, "unauthorized"]);
    expect(await shown(name)).toMatchObject({ step: 90 });
  });

  it("and not definite if the registry may have made the change", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const name = await someNamespace(SEGMENT);
    await ask(`/v1/namespaces/${name}`);
    const down = { patchNamespace: () => Promise.reject(new Error("down")) };
    const bindings = { ...CLOSED, REGISTRY: { getByName: () => down } } as unknown as Env;
    const { status, body } = await patch(name, { step: 33 }, { bindings });
    expect([status, body.code, body.definite]).toEqual([503, "registry_unavailable", false]);
  });
});
