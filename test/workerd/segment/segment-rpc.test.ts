/** Segments by RPC: the entrypoint of this Worker, and the production build's. The client on top of both. */
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Edgeflake } from "../../../src/client/edgeflake.ts";
import { ask } from "../../support/admin.ts";
import { useClock } from "../../support/clock.ts";
import { someSegment } from "../../support/numbers.ts";
import { evict, maxIdOf, numbersFrom } from "../../support/segments.ts";

useClock("waits");

const rpc = exports.Edgeflake;

/** The error of a call, as the caller sees it. */
async function thrown(call: () => Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await call();
  } catch (error) {
    return { ...(error as object) };
  }
  throw new Error("nothing was thrown");
}

const texts = (from: number, count: number) => numbersFrom(from, count).map(String);

describe("the methods", () => {
  it("nextId, nextIds and blocks give numbers, strict ones without a gap", async () => {
    const name = await someSegment({ step: 300, delta: 3, remainder: 1 });
    expect(await rpc.nextId(name)).toBe("1");
    expect(await rpc.nextIds(name, 3)).toEqual(["4", "7", "10"]);
    expect(await rpc.nextIds(name, 2, { order: "strict" })).toEqual(["301", "304"]);
    expect(await rpc.nextIds(name, 2, { key: "a" })).toEqual(["307", "310"]);
    expect(await rpc.nextId(name, { shard: 0, encoding: "hex" })).toBe((313).toString(16));
    expect(await rpc.blocks(name, 100_000)).toEqual({
      blocks: [{ first: "316", count: 100_000, step: 3 }],
      shard: 0,
      freshForMs: 1_800_000,
    });
    expect(await rpc.decode(name, "316")).toEqual({ id: "316", kind: "segment", value: "316" });
  });

  it("the same key gets the same numbers, with each method and after an eviction", async () => {
    const name = await someSegment();
    const options = { idempotencyKey: "order-1" };
    expect(await rpc.nextIds(name, 3, options)).toEqual(texts(1, 3));
    await evict(name);
    expect(await rpc.nextIds(name, 3, options)).toEqual(texts(1, 3));
    expect(await rpc.nextIds(name, 3, { ...options, order: "strict" })).toEqual(texts(1, 3));
    expect(await rpc.blocks(name, 3, options)).toMatchObject({
      blocks: [{ first: "1", count: 3 }],
    });
    expect(await rpc.nextIds(name, 3)).toEqual(texts(4, 3));
    expect(await thrown(() => rpc.nextId(name, options))).toMatchObject({
      code: "idempotency_conflict",
      status: 409,
      definite: true,
    });
    // That of an HTTP caller is another one.
    const headers = { "idempotency-key": "order-1" };
    const { body } = await ask(`/v1/ids/${name}?count=3`, { headers });
    expect(body.ids).toEqual(texts(104, 3));
  });

  it("keys of a binding with a caller in its props are separate", async () => {
    const name = await someSegment();
    const options = { idempotencyKey: "order-1" };
    const [billing, shop] = ["billing", "shop"].map((caller) =>
      exports.Edgeflake({ props: { caller } }),
    );
    expect(await billing?.nextId(name, options)).toBe("1");
    expect(await shop?.nextId(name, options)).toBe("2");
    expect(await rpc.nextId(name, options)).toBe("3");
    expect(await billing?.nextId(name, options)).toBe("1");
    const unnamed = exports.Edgeflake({ props: { caller: "a b" } });
    expect(await thrown(() => unnamed.nextId(name))).toMatchObject({
      code: "invalid_parameter",
      errors: [{ parameter: "props.caller" }],
    });
  });

  it.each([
    ["idempotency-key", { idempotencyKey: "" }],
    ["idempotency-key", { idempotencyKey: "a b" }],
    ["idempotency-key", { idempotencyKey: "k".repeat(256) }],
    ["shard", { shard: 1 }],
    ["key", { shard: 0, key: "a" }],
  ])("%s is named if it is invalid: %j", async (parameter, options) => {
    const name = await someSegment();
    for (const call of [() => rpc.nextId(name, options), () => rpc.blocks(name, 1, options)]) {
      const problem = await thrown(call);
      expect(problem).toMatchObject({ code: "invalid_parameter", status: 400, definite: true });
      expect(problem.errors).toContainEqual(expect.objectContaining({ parameter }));
    }
    expect(await maxIdOf(name)).toBeUndefined();
  });

  it.each([null, 5, {}, ["a"]])("rejects the idempotencyKey %j, which is no text", async (key) => {
    const name = await someSegment();
    // Callers need not be typed.
    const options = { idempotencyKey: key as unknown as string };
    for (const call of [() => rpc.nextId(name, options), () => rpc.blocks(name, 1, options)]) {
      const problem = await thrown(call);
      expect(problem).toMatchObject({ code: "invalid_parameter", status: 400, definite: true });
    }
    expect(await maxIdOf(name)).toBeUndefined();
  });

  it("problems are thrown: past max, beyond it, retired", async () => {
    const name = await someSegment({ max: 5 });
    for (const call of [
      () => rpc.nextIds(name, 6),
      () => rpc.nextIds(name, 6, { order: "strict" }),
      () => rpc.blocks(name, 6),
    ]) {
      expect(await thrown(call)).toMatchObject({ code: "exhausted", status: 409, definite: true });
    }
    const beyond = await thrown(() => rpc.decode(name, "6"));
    expect(beyond).toMatchObject({ code: "invalid_parameter", errors: [{ parameter: "id" }] });
    await ask(`/v1/namespaces/${name}`, { method: "DELETE" });
    expect(await thrown(() => rpc.nextId(name))).toMatchObject({ code: "namespace_retired" });
    expect(await rpc.decode(name, "5")).toMatchObject({ value: "5" });
  });

  it("of the production build give numbers of the built-in segment, each once", async () => {
    const call = async (method: string, ...args: unknown[]) => {
      const body = JSON.stringify({ method, args });
      const answer = await env.BOUND_APP.fetch("https://app.test/", { method: "POST", body });
      const { value, message }: { value?: unknown; message?: string } = await answer.json();
      if (value === undefined) throw new Error(message);
      return value;
    };
    const one = await call("nextId", "segment");
    const many = await call("nextIds", "segment", 3000);
    const keyed = await call("nextIds", "segment", 5, { idempotencyKey: "k" });
    expect(await call("nextIds", "segment", 5, { idempotencyKey: "k" })).toEqual(keyed);
    const ids = [one, many, keyed].flat();
    expect(new Set(ids).size).toBe(3006);
    expect(await call("decode", "segment", one)).toEqual({ id: one, kind: "segment", value: one });
  });
});

describe("a client with a binding", () => {
  it("takes in strict order without a gap, also in several requests", async () => {
    const name = await someSegment();
    const client = new Edgeflake({ binding: rpc, namespace: name });
    expect(await client.take(4, { order: "strict" })).toEqual(texts(1, 4));
    const many = await client.take(250_000, { order: "strict" });
    expect(many).toHaveLength(250_000);
    expect(many.findIndex((id, index) => id !== `${5 + index}`)).toBe(-1);
    expect(await client.next({ order: "strict" })).toBe("250005");
    expect(await client.take(2, { key: "a" })).toEqual(texts(250_006, 2));
    expect(await maxIdOf(name)).toBe("250008");
  });

  it("takes the same numbers again with the same key", async () => {
    const name = await someSegment();
    const client = new Edgeflake({ binding: rpc, namespace: name });
    const first = await client.take(150_000, { idempotencyKey: "k" });
    expect(first).toHaveLength(150_000);
    expect(first.findIndex((id, index) => id !== `${1 + index}`)).toBe(-1);
    const again = await client.take(150_000, { idempotencyKey: "k" });
    expect(again.join() === first.join()).toBe(true);
    expect(await maxIdOf(name)).toBe("150001");
  });

  it("gives the right numbers of a delta, taken and prefetched, each once", async () => {
    const name = await someSegment({ start: 1, delta: 3, remainder: 2 });
    const client = new Edgeflake({ binding: rpc, namespace: name });
    const ids = await client.take(5);
    expect(ids).toEqual(["2", "5", "8", "11", "14"]);
    let atOnce = 0;
    for (let round = 0; round < 30; round += 1) {
      const now = client.nextNow();
      if (now !== undefined) ids.push(now);
      atOnce += now === undefined ? 0 : 1;
      ids.push(...(await Promise.all(Array.from({ length: 100 }, () => client.next()))));
    }
    expect(atOnce).toBeGreaterThan(0);
    expect(ids.every((id) => BigInt(id) % 3n === 2n)).toBe(true);
    expect(new Set(ids).size).toBe(3005 + atOnce);
    const [id = ""] = ids;
    expect(await client.decode(id)).toEqual({ id, kind: "segment", value: id });
  });

  it("gives the right numbers if a prefetched block begins at 0", async () => {
    const name = await someSegment({ start: 0, delta: 3 });
    const client = new Edgeflake({ binding: rpc, namespace: name });
    const ids = await Promise.all([client.next(), client.next(), client.next()]);
    // The background fetches.
    for (let next = client.next(); ids.length < 50; next = client.next()) ids.push(await next);
    expect(ids).toContain("0");
    expect(ids.filter((id) => BigInt(id) % 3n !== 0n)).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("rejects with the service's own code", async () => {
    const name = await someSegment({ max: 2 });
    const client = new Edgeflake({ binding: rpc, namespace: name });
    const error = await thrown(async () => client.take(3, { order: "strict" }));
    expect(error).toMatchObject({ code: "exhausted", status: 409, definite: true });
  });
});
