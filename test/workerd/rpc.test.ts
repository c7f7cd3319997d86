/** Service-binding RPC: a second Worker calls the entrypoint of the production build. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { useClock } from "../support/clock.ts";
import { namespaceOf } from "../support/shards.ts";

useClock("waits");

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

  it("repeats none in a burst of 200, though the first access is closed to HTTP", async () => {
    const burst = await Promise.all(Array.from({ length: 200 }, () => call("nextId", "default")));
    expect(new Set(burst.map(({ value }) => value)).size).toBe(200);
  });

  it("takes an encoding, a shard, a key, an order", async () => {
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

describe("what is not taken", () => {
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
  ])("%s(%j) names %s", async (method, args, parameter) => {
    const { value, problem } = await call(method, ...args);
    if (parameter === undefined) {
      expect(value).toHaveLength(1);
      return;
    }
    expect(problem).toMatchObject({ code: "invalid_parameter", status: 400, definite: true });
    expect(problem?.errors).toContainEqual(expect.objectContaining({ parameter }));
  });

  it.each(["nope", "", "a/b", "__proto__"])("the namespace %j", async (name) => {
    expect((await call("nextId", name)).problem).toMatchObject({
      code: "unknown_namespace",
      status: 404,
      definite: true,
    });
  });
});
