/** A take that needs several requests, with a binding that records its calls. */
import { describe, expect, it } from "vitest";
import { Edgeflake } from "../../../src/client/edgeflake.ts";
import { countingBinding } from "../../support/client-binding.ts";

/** More than two requests of the largest count. */
const COUNT = 250_000;
const KEY_CHARS_MAX = 255;

function recorded() {
  const keys: (string | undefined)[] = [];
  const binding = countingBinding(({ idempotencyKey }) => {
    keys.push(idempotencyKey);
    return undefined;
  });
  return { client: new Edgeflake({ binding, namespace: "numbers" }), keys };
}

describe("the parts of one take", () => {
  it("in strict order have different Idempotency-Keys, or the service would repeat the first part's numbers", async () => {
    const { client, keys } = recorded();
    const ids = await client.take(COUNT, { order: "strict" });
    expect(new Set(ids).size).toBe(COUNT);
    expect(keys).toHaveLength(3);
    expect(keys).not.toContain(undefined);
    expect(new Set(keys).size).toBe(3);
  });

  it("have keys derived from a given one, so that the whole take can be repeated", async () => {
    const [one, other] = [recorded(), recorded()];
    for (const { client } of [one, other]) {
      await client.take(COUNT, { order: "strict", idempotencyKey: "mine" });
    }
    expect(new Set([...one.keys, "mine"]).size).toBe(4);
    expect(other.keys).toEqual(one.keys);
  });

  it("have other keys than a take of another count", async () => {
    const { client, keys } = recorded();
    for (const count of [100_000, 100_001, COUNT]) {
      await client.take(count, { order: "strict", idempotencyKey: "mine" });
    }
    expect(keys[0]).toBe("mine");
    expect(new Set(keys).size).toBe(6);
  });

  it("have unique keys, within the length limit for any given key", async () => {
    const { client, keys } = recorded();
    const longest = "k".repeat(KEY_CHARS_MAX);
    for (const idempotencyKey of ["mine", "mine+100000", longest]) {
      await client.take(COUNT, { order: "strict", idempotencyKey });
    }
    expect(new Set(keys).size).toBe(9);
    expect(keys.every((key) => key !== undefined && /^[!-~]{1,255}$/.test(key))).toBe(true);
  });
});
