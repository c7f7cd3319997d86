/** Own segment namespaces: making, changing, listing and retiring them. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { ask, put } from "../../support/admin.ts";
import { clock, useClock } from "../../support/clock.ts";
import { numbersOf, refusalOf, someSegment } from "../../support/numbers.ts";
import { maxIdOf, numbersFrom } from "../../support/segments.ts";

const MAX = "9223372036854775807";
const CREATED = {
  kind: "segment",
  step: 1000,
  start: "1",
  max: MAX,
  delta: 1,
  remainder: 0,
  description: "",
  builtIn: false,
  retired: false,
};

useClock();

describe("PUT", () => {
  it("creates with 201, changes with 200, and both show the whole namespace", async () => {
    expect(await put("plain", { kind: "segment" })).toMatchObject({ status: 201, body: CREATED });
    const made = await put("invoices", { kind: "segment", max: 4000 });
    const body = { name: "invoices", ...CREATED, max: "4000" };
    expect(made).toMatchObject({ status: 201, body });
    const input = { kind: "segment", step: 50, max: 5000, description: "of 2026" };
    const changed = await put("invoices", input);
    expect(changed).toMatchObject({
      status: 200,
      body: { ...CREATED, step: 50, max: "5000", description: "of 2026" },
    });
    // An omitted field returns to its default, unless it determines the numbers.
    const back = await put("invoices", { kind: "segment" });
    expect(back).toMatchObject({ status: 200, body: { ...CREATED, max: "5000" } });
    expect((await ask("/v1/namespaces/invoices")).body).toEqual(back.body);
  });

  it("does not lower max: isolates hold numbers up to it", async () => {
    const name = await someSegment({ max: 5000 });
    const { status, body } = await put(name, { kind: "segment", max: 4999 });
    expect([status, body.code]).toEqual([409, "layout_conflict"]);
    expect(body.detail).toContain("with another max.");
    expect((await put(name, { kind: "segment", max: 5001 })).status).toBe(200);
  });

  it.each(["x", "1.5", "1e3", "-1", "01", " ", "9223372036854775808"])(
    "names start and max if they are %j",
    async (text) => {
      const { status, body } = await put("never-made", { kind: "segment", start: text, max: text });
      expect([status, body.code]).toEqual([400, "invalid_body"]);
      expect(body.errors).toMatchObject([{ field: "start" }, { field: "max" }]);
    },
  );

  it.each([
    [
      { start: 0, max: 0 },
      { start: "0", max: "0" },
    ],
    [{ start: "9007199254740993" }, { start: "9007199254740993" }],
    [
      { start: MAX, max: MAX },
      { start: MAX, max: MAX },
    ],
    [{ start: 9_007_199_254_740_991 }, { start: "9007199254740991" }],
    [{ delta: 2000 }, { delta: 2000, step: 2000 }],
    [{ step: 1_000_000, delta: 1_000_000, remainder: 999_999 }, { step: 1_000_000 }],
    [{ start: 7, max: 9, delta: 3, remainder: 2 }, { max: "9" }],
    [{ description: "x".repeat(256) }, { description: "x".repeat(256) }],
  ])("accepts %j", async (input, shown) => {
    const name = await someSegment({ step: 2000, ...input });
    const { body } = await ask(`/v1/namespaces/${name}`);
    expect(body).toMatchObject({ step: 2000, ...shown });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ step: 0 }, "step"],
    [{ step: 1_000_001 }, "step"],
    [{ step: 1.5 }, "step"],
    [{ step: "5" }, "step"],
    [{ start: -1 }, "start"],
    [{ start: 1.5 }, "start"],
    [{ start: "01" }, "start"],
    [{ start: 2 ** 53 }, "start"],
    [{ start: "9223372036854775808" }, "start"],
    [{ start: 6, max: 5 }, "start"],
    [{ max: -1 }, "max"],
    [{ max: 2 ** 53 + 2 }, "max"],
    [{ max: "9223372036854775808" }, "max"],
    [{ max: null }, "max"],
    [{ start: 7, max: 9, delta: 5, remainder: 1 }, "max"],
    [{ delta: 0 }, "delta"],
    [{ delta: 1_000_001 }, "delta"],
    [{ delta: 3, remainder: 3 }, "remainder"],
    [{ remainder: -1 }, "remainder"],
    [{ remainder: 1 }, "remainder"],
    [{ step: 9, delta: 10 }, "step"],
    [{ description: "x".repeat(257) }, "description"],
    [{ description: 5 }, "description"],
    [{ colour: "red" }, "colour"],
    [{ shards: 8 }, "shards"],
    [{ policy: {} }, "policy"],
  ])("rejects %j and names %s", async (input, field) => {
    const { status, body } = await put("never", { kind: "segment", ...input });
    expect([status, body.code]).toEqual([400, "invalid_body"]);
    expect(body.errors).toContainEqual(expect.objectContaining({ field }));
    expect((await ask("/v1/namespaces/never")).status).toBe(404);
  });

  it("rejects a JSON number above 2^53, which would be inexact", async () => {
    const rawBody = '{"kind":"segment","start":9007199254740993}';
    const headers = { "content-type": "application/json" };
    const answer = await ask("/v1/namespaces/never", { method: "PUT", rawBody, headers });
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_body" } });
    expect(answer.body.errors).toMatchObject([{ field: "start" }]);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ start: 6 }, "start"],
    [{ start: 4, delta: 5 }, "start, delta"],
    [{ delta: 4 }, "delta"],
    [{ remainder: 1 }, "remainder"],
    [{ kind: "snowflake" }, "kind"],
  ])("N1 rejects %j, shows both values, and changes nothing", async (change, fields) => {
    const name = await someSegment({ start: 5, delta: 3, remainder: 2 });
    expect(await numbersOf(`/v1/ids/${name}`)).toEqual([5n]);
    const { status, body } = await put(name, { kind: "segment", ...change });
    expect([status, body.code]).toEqual([409, "layout_conflict"]);
    expect(body.detail).toContain(`another ${fields}.`);
    const stored = { kind: "segment", start: "5", delta: 3, remainder: 2 };
    expect(body.conflict).toMatchObject({ stored, wished: expect.anything() });
    expect(await numbersOf(`/v1/ids/${name}`)).toEqual([8n]);
  });

  it("N1 rejects to turn a snowflake namespace into a segment", async () => {
    await put("flake");
    const { status, body } = await put("flake", { kind: "segment" });
    expect([status, body.code]).toEqual([409, "layout_conflict"]);
    expect(body.detail).toContain("another kind.");
  });

  it("keeps start, delta and remainder if they are omitted", async () => {
    const name = await someSegment({ start: 5, delta: 3, remainder: 2 });
    expect(await put(name, { kind: "segment", step: 30 })).toMatchObject({
      status: 200,
      body: { start: "5", delta: 3, remainder: 2, step: 30, max: MAX },
    });
  });

  it("applies in this isolate at once: to the step of the next fetch", async () => {
    const name = await someSegment({ step: 10 });
    await numbersOf(`/v1/ids/${name}`);
    await put(name, { kind: "segment", step: 500 });
    expect(await numbersOf(`/v1/ids/${name}?count=2`)).toEqual([2n, 3n]);
    expect(await maxIdOf(name)).toBe("511");
  });
});

describe("the built-in segment", () => {
  it("never changes, and is listed with the others", async () => {
    for (const method of ["PUT", "DELETE"]) {
      const json = method === "PUT" ? { kind: "segment" } : undefined;
      const answer = await ask("/v1/namespaces/segment", { method, json });
      expect(answer).toMatchObject({ status: 403, body: { code: "builtin_namespace" } });
    }
    const { body } = await ask("/v1/namespaces/segment");
    expect(body).toEqual({ name: "segment", ...CREATED, builtIn: true });
    await put("sega", { kind: "segment" });
    await put("segz", { kind: "segment" });
    const list = await ask("/v1/namespaces?cursor=seg&limit=3");
    const listed = list.body.namespaces as { name: string; kind: string }[];
    expect(listed.map(({ name, kind }) => [name, kind])).toEqual([
      ["sega", "segment"],
      ["segment", "segment"],
      ["segz", "segment"],
    ]);
  });
});

describe("DELETE", () => {
  it("ends issuing for good, also from memory, and nothing else", async () => {
    const name = await someSegment();
    expect(await numbersOf(`/v1/ids/${name}`)).toEqual([1n]);
    expect((await ask(`/v1/namespaces/${name}`, { method: "DELETE" })).status).toBe(204);
    for (const path of [
      "ids/NAME",
      "ids/NAME?order=strict",
      "ids/NAME?format=text",
      "blocks/NAME",
    ]) {
      const refusal = await refusalOf(`/v1/${path.replace("NAME", name)}`, "k");
      expect(refusal).toMatchObject({ status: 410, code: "namespace_retired", definite: true });
    }
    expect((await ask(`/v1/decode/${name}/1`)).body).toMatchObject({ value: "1" });
    expect((await ask(`/v1/shards/${name}/0`)).body).toMatchObject({ max_id: "101" });
    expect((await ask(`/v1/namespaces/${name}`)).body).toMatchObject({ retired: true });
    expect(await put(name, { kind: "segment" })).toMatchObject({ status: 410 });
  });
});

describe("the registry's storage", () => {
  it("D5 with changed numbers is refused by the object, and nothing is issued", async () => {
    const name = await someSegment();
    expect(await numbersOf(`/v1/ids/${name}?order=strict&count=5`)).toEqual(numbersFrom(1, 5));
    await runInDurableObject(env.REGISTRY.getByName("registry"), (_, { storage: { sql } }) => {
      sql.exec(
        "UPDATE namespace SET definition = json_set(definition, '$.delta', 2) WHERE name = ?",
        name,
      );
    });
    // The isolate reads it anew.
    clock.step(120_000);
    for (const path of [`/v1/ids/${name}`, `/v1/ids/${name}`]) await ask(path);
    for (const path of ["ids/NAME", "ids/NAME?order=strict", "blocks/NAME", "shards/NAME/0"]) {
      expect(await refusalOf(`/v1/${path.replace("NAME", name)}`)).toMatchObject({
        status: 409,
        code: "layout_conflict",
        definite: true,
      });
    }
  });
});
