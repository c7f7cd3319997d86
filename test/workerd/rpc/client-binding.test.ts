/** The client in a Worker, over a service binding to the production build. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Edgeflake, EdgeflakeError } from "../../../src/client/edgeflake.ts";

const client = new Edgeflake({ binding: env.IDS, namespace: "default" });

describe("a client with a binding", () => {
  it("gets IDs, and decodes them", async () => {
    const id = await client.next();
    expect(await client.decode(id)).toMatchObject({ id, kind: "snowflake" });
    const many = await client.take(20_000);
    expect(new Set([id, ...many]).size).toBe(20_001);
  });

  it("prefetches for repeated demand, and repeats no ID", async () => {
    const ids: string[] = [];
    for (let round = 0; round < 50; round += 1) {
      ids.push(...(await Promise.all(Array.from({ length: 100 }, () => client.next()))));
    }
    expect(new Set(ids).size).toBe(5000);
    expect(client.nextNow()).toMatch(/^\d+$/);
  });

  it("keeps strict order for a key", async () => {
    const ids: bigint[] = [];
    for (let count = 0; count < 30; count += 1) ids.push(BigInt(await client.next({ key: "a" })));
    expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id))).toBe(true);
  });

  it("rejects with the service's own code", async () => {
    const nobody = new Edgeflake({ binding: env.IDS, namespace: "nope" });
    const error: unknown = await nobody.next().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EdgeflakeError);
    expect(error).toMatchObject({ code: "unknown_namespace", status: 404, definite: true });
  });
});
