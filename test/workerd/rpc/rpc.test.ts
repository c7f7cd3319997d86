/** Service-binding RPC: a second Worker calls the entrypoint of the production build. */
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { EdgeflakeBinding } from "../../../src/client/binding.ts";
import type { BlocksOptions } from "../../../src/core/binding.ts";
import { put } from "../../support/admin.ts";
import { useClock } from "../../support/clock.ts";
import { namespaceOf } from "../../support/shards.ts";

useClock("waits");

/** The compiler checks that the entrypoint has all methods of the client's type of a binding. */
const entrypoint: EdgeflakeBinding = exports.Edgeflake;

interface Outcome {
  readonly value?: unknown;
  readonly message?: string;
  readonly problem?: Record<string, unknown>;
}

async function call(method: string, ...args: unknown[]): Promise<Outcome> {
  const body = JSON.stringify({ method, args });
  const response = await env.BOUND_APP.fetch("https://app.test/", { method: "POST", body });
  return await response.json();
}

async function idsOf(...args: unknown[]): Promise<string[]> {
  const { value, message } = await call("nextIds", ...args);
  if (!Array.isArray(value)) throw new Error(`no IDs: ${message}`);
  return value;
}

describe("nextId", () => {
  it.each(["default", "twitter", "leaf", "js53", "node"])(
    "%s: one ID as a string",
    async (name) => {
      const { value } = await call("nextId", name);
      expect(value).toMatch(/^\d+$/);
      expect(BigInt(`${value}`) < 1n << BigInt(namespaceOf(name).layout.totalBits)).toBe(true);
    },
  );

  it("repeats no ID in a burst of 200, even if HTTP needs a key", async () => {
    const burst = await Promise.all(Array.from({ length: 200 }, () => call("nextId", "default")));
    expect(new Set(burst.map(({ value }) => value)).size).toBe(200);
  });

  it("accepts an encoding, a shard, a key, an order", async () => {
    const { value } = await call("nextId", "default", { encoding: "base58", shard: 3 });
    const decoded = await call("decode", "default", value, { encoding: "base58" });
    expect(decoded.value).toMatchObject({ kind: "snowflake", shard: 3 });
    const ids: bigint[] = [];
    for (let round = 0; round < 20; round += 1) {
      ids.push(BigInt(`${(await call("nextId", "default", { key: "user-1" })).value}`));
    }
    expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id))).toBe(true);
  });
});

describe("nextIds", () => {
  it.each([1, 2, 4097, 10_000])("%d distinct ones", async (count) => {
    const ids = await idsOf("default", count);
    expect(new Set(ids).size).toBe(count);
  });

  it("strictly increase for one key", async () => {
    const ids = [
      ...(await idsOf("js53", 500, { key: "a" })),
      ...(await idsOf("js53", 500, { key: "a" })),
    ];
    const numbers = ids.map(Number);
    expect(numbers.every((id, index) => index === 0 || id > (numbers[index - 1] ?? id))).toBe(true);
  });
});

describe("blocks", () => {
  it("are runs of consecutive IDs of one shard", async () => {
    const { value } = await call("blocks", "default", 5000, { shard: 2 });
    expect(value).toMatchObject({ shard: 2, freshForMs: 250 });
    const { blocks } = value as { blocks: { first: string; count: number }[] };
    expect(blocks.reduce((sum, { count }) => sum + count, 0)).toBe(5000);
    const decoded = await call("decode", "default", blocks[0]?.first);
    expect(decoded.value).toMatchObject({ shard: 2 });
  });
});

describe("a caller that gives its place", () => {
  // Shard i is near the i-th region of enam, wnam, weur, apac, and so on.
  it.each<[string, BlocksOptions, number]>([
    ["a request.cf", { near: { latitude: "35.68", longitude: "139.69" } }, 3],
    ["degrees", { near: { latitude: 52.5, longitude: 13.4 } }, 2],
    ["a region", { region: "sam" }, 0],
    ["a region of its own", { region: "wnam" }, 1],
    ["a request.cf without a place", { near: {} }, 0],
  ])("%s gets a shard near to it", async (_, options, residue) => {
    const name = `near-${residue}-${Object.keys(options)}-${JSON.stringify(options).length}`;
    expect((await put(name)).status).toBe(201);
    const { shard } = await entrypoint.blocks(name, 1, options);
    expect(shard % 4).toBe(residue);
  });

  it.each([
    ["near", { near: "Tokyo" }],
    ["near", { near: null }],
    ["region", { region: "mars" }],
    ["region", { region: "apac", near: {} }],
  ])("gets the allowed values of %s: %j", async (parameter, options) => {
    const { problem } = await call("blocks", "default", 1, options);
    expect(problem).toMatchObject({ code: "invalid_parameter", definite: true });
    expect(problem?.errors).toMatchObject([{ parameter }]);
  });
});

describe("refusals as values", () => {
  it("blocksOrProblem and decodeOrProblem throw nothing", async () => {
    const good = await call("blocksOrProblem", "default", 3, { shard: 1 });
    expect(good.value).toMatchObject({ ok: true, value: { shard: 1 } });
    const unknown = await call("blocksOrProblem", "nope", 3);
    expect(unknown.value).toEqual({
      ok: false,
      problem: {
        code: "unknown_namespace",
        status: 404,
        definite: true,
        detail: expect.stringMatching(/^No namespace has this name/),
      },
    });
    const { value } = await call("blocksOrProblem", "js53", 1_000_000, { order: "strict" });
    expect(value).toMatchObject({
      ok: false,
      problem: {
        code: "invalid_parameter",
        errors: [{ parameter: "count", min: 1, max: 196_608 }],
      },
    });
    const id = await call("decodeOrProblem", "default", "x");
    expect(id.value).toMatchObject({ ok: false, problem: { code: "invalid_parameter" } });
  });
});

describe("an invalid argument", () => {
  it.each([
    ["nextIds", ["default", 0], "count"],
    ["nextIds", ["default", 10_001], "count"],
    ["nextIds", ["default", 1.5], "count"],
    ["nextIds", ["default", "1e3"], "count"],
    ["nextIds", ["default", null], "count"],
    ["nextIds", ["default", 1, { format: "text", count: 1_000_000 }], undefined],
    ["nextId", ["default", { shard: 8 }], "shard"],
    ["nextId", ["default", { shard: 1, key: "a" }], "key"],
    ["nextId", ["default", { key: {} }], "key"],
    ["nextId", ["default", { order: "random" }], "order"],
    ["nextId", ["default", { encoding: "number" }], "encoding"],
    ["nextId", ["default", { colour: "red" }], "colour"],
    ["blocks", ["twitter", 413_697], "count"],
    ["decode", ["default", "-1"], "id"],
    ["decode", ["default", "12x"], "id"],
  ])("of %s(%j) is named: %s", async (method, args, parameter) => {
    const { value, problem } = await call(method, ...args);
    if (parameter === undefined) {
      expect(value).toHaveLength(1);
      return;
    }
    expect(problem).toMatchObject({ code: "invalid_parameter", status: 400, definite: true });
    expect(problem?.errors).toContainEqual(expect.objectContaining({ parameter }));
  });

  it.each(["nope", "", "a/b", "__proto__"])("the namespace %j is rejected", async (name) => {
    expect((await call("nextId", name)).problem).toMatchObject({
      code: "unknown_namespace",
      status: 404,
      definite: true,
    });
  });
});
