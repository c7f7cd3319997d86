/** Own namespaces: making, changing, retiring, and what the isolate remembers of them. */

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { ADMIN } from "../../../src/core/api-key.ts";
import { REGIONS } from "../../../src/core/regions.ts";
import { NAMESPACE_STALE_MAX_MS } from "../../../src/service/limits.ts";
import { BUILT_IN_NAMESPACES } from "../../../src/service/registry/namespaces.ts";
import { ask, CLOSED, keyFor, patch, put } from "../../support/admin.ts";
import { clock, useClock } from "../../support/clock.ts";

useClock();

const CUSTOM = {
  timestampBits: 40,
  datacenterBits: 2,
  workerBits: 6,
  sequenceBits: 10,
  epochMs: 0,
  tickMs: 10,
};

it("the built-in namespaces are these, independent of the presets", () => {
  const names = BUILT_IN_NAMESPACES.map(({ name }) => name);
  expect(names).toEqual(["default", "twitter", "leaf", "js53", "node", "segment"]);
});

describe("PUT", () => {
  it("creates with 201, changes with 200, and both show the whole namespace", async () => {
    const made = await put("orders");
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: "orders",
        kind: "snowflake",
        preset: "default",
        layout: { timestampBits: 41, workerBits: 10, sequenceBits: 12 },
        policy: {
          maxStepBackMs: 3_600_000,
          freshForMs: 250,
          leaseTtlMaxMs: 600_000,
          leasesPerKeyMax: 256,
        },
        shards: 8,
        keyShards: 8,
        regions: ["enam", "wnam", "weur", "apac"],
        builtIn: false,
        retired: false,
      },
    });
    const changed = await put("orders", {
      kind: "snowflake",
      policy: { maxWaitMs: 20 },
      shards: 16,
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { policy: { maxWaitMs: 20 }, shards: 16, keyShards: 8 },
    });
    const back = await put("orders");
    expect(back).toMatchObject({ status: 200, body: { policy: { maxWaitMs: 250 }, shards: 16 } });
    expect((await ask("/v1/namespaces/orders")).body).toEqual(back.body);
  });

  it("accepts a custom layout, and its IDs decode with it", async () => {
    expect((await put("custom", { kind: "snowflake", layout: CUSTOM })).status).toBe(201);
    const { body } = await ask("/v1/ids/custom?shard=7");
    const [id] = body.ids as string[];
    const decoded = await ask(`/v1/decode/custom/${id}`);
    expect(decoded.body).toMatchObject({ shard: 7, datacenter: 0, worker: 7 });
    expect(Math.abs(Number(decoded.body.unixMs) - Date.now())).toBeLessThan(5000);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["layout", { layout: { ...CUSTOM, sequenceBits: 11 } }, "layout"],
    ["epoch", { layout: { ...CUSTOM, epochMs: 5 } }, "layout"],
    ["tick", { layout: { ...CUSTOM, tickMs: 1 } }, "layout"],
    ["preset", { preset: "twitter" }, "layout"],
    ["use of lanes", { layout: { ...CUSTOM, laneUse: "back" } }, "layout"],
    ["regions", { regions: ["weur"] }, "regions"],
    ["keyShards", { keyShards: 2 }, "keyShards"],
    ["shrinking shards", { shards: 4 }, "shards"],
  ])("N1 N2 N3 rejects another %s and shows both values", async (_, change, field) => {
    await put("fixed", { kind: "snowflake", layout: CUSTOM });
    const { status, body } = await put("fixed", { kind: "snowflake", ...change });
    expect([status, body.code]).toEqual([409, "layout_conflict"]);
    expect(body.detail).toContain(field);
    expect(body.conflict).toMatchObject({ stored: { layout: CUSTOM }, wished: {} });
    expect((await ask("/v1/namespaces/fixed")).body.layout).toMatchObject(CUSTOM);
  });

  it.each<[Record<string, unknown>, string]>([
    [{}, "kind"],
    [{ kind: "uuid" }, "kind"],
    [{ kind: "snowflake", preset: "nope" }, "preset"],
    [{ kind: "snowflake", preset: "js53", layout: CUSTOM }, "layout"],
    [{ kind: "snowflake", layout: { ...CUSTOM, timestampBits: 44 } }, "layout"],
    [{ kind: "snowflake", layout: { ...CUSTOM, workerBits: 30 } }, "layout.workerBits"],
    [{ kind: "snowflake", layout: { ...CUSTOM, tickMs: 2 } }, "layout.tickMs"],
    [{ kind: "snowflake", layout: { timestampBits: 41 } }, "layout.sequenceBits"],
    [{ kind: "snowflake", shards: 0 }, "shards"],
    [{ kind: "snowflake", shards: 513 }, "shards"],
    [{ kind: "snowflake", preset: "js53", shards: 9 }, "shards"],
    [{ kind: "snowflake", shards: "8" }, "shards"],
    [{ kind: "snowflake", keyShards: 9 }, "keyShards"],
    [{ kind: "snowflake", regions: [] }, "regions"],
    [{ kind: "snowflake", regions: ["mars"] }, "regions.0"],
    [{ kind: "snowflake", policy: { maxWaitMs: -1 } }, "policy.maxWaitMs"],
    [{ kind: "snowflake", policy: { maxWaitMs: 1.5 } }, "policy.maxWaitMs"],
    [{ kind: "snowflake", policy: { maxStepBackMs: 86_400_001 } }, "policy.maxStepBackMs"],
    [{ kind: "snowflake", policy: { randomStart: 4097 } }, "policy.randomStart"],
    [{ kind: "snowflake", policy: { unknown: 1 } }, "policy.unknown"],
    [{ kind: "snowflake", policy: { leaseTtlMaxMs: 4999 } }, "policy.leaseTtlMaxMs"],
    [{ kind: "snowflake", policy: { leaseTtlMaxMs: 86_400_001 } }, "policy.leaseTtlMaxMs"],
    [{ kind: "snowflake", policy: { leasesPerKeyMax: 0 } }, "policy.leasesPerKeyMax"],
    [{ kind: "snowflake", policy: { leasesPerKeyMax: 513 } }, "policy.leasesPerKeyMax"],
    [
      { kind: "snowflake", preset: "js53", policy: { leasesPerKeyMax: 9 } },
      "policy.leasesPerKeyMax",
    ],
    [{ kind: "snowflake", preset: "twitter", policy: { reserveMs: 101 } }, "policy.reserveMs"],
    [{ kind: "snowflake", preset: "js53", policy: { reserveMs: 999 } }, "policy.reserveMs"],
    [{ kind: "snowflake", extra: true }, "extra"],
  ])("rejects %j and names %s", async (json, field) => {
    const { status, body } = await put("never", json);
    expect([status, body.code]).toEqual([400, "invalid_body"]);
    expect(body.errors).toContainEqual(expect.objectContaining({ field }));
    expect((await ask("/v1/namespaces/never")).status).toBe(404);
  });

  it.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{ kind: "other" }, { field: "kind", allowed: ["snowflake", "segment"] }],
    [
      { kind: "snowflake", preset: "js53", shards: 9 },
      { field: "shards", min: 1, max: 8 },
    ],
    [
      { kind: "snowflake", regions: ["mars"] },
      { field: "regions.0", allowed: [...REGIONS] },
    ],
    [
      { kind: "snowflake", layout: { ...CUSTOM, tickMs: 2 } },
      { field: "layout.tickMs", allowed: [1, 10, 1000] },
    ],
    [
      { kind: "segment", step: 2, delta: 3 },
      { field: "step", min: 3 },
    ],
    [
      { kind: "segment", step: 0 },
      { field: "step", min: 1, max: 1_000_000 },
    ],
  ])("of %j lists the allowed values for programs", async (json, takes) => {
    const { body } = await put("never", json);
    expect(body.errors).toEqual([{ detail: expect.any(String), ...takes }]);
  });

  it.each(["default", "twitter", "leaf", "js53", "node"])(
    "never changes built-in %s",
    async (name) => {
      expect(await put(name)).toMatchObject({ status: 403, body: { code: "builtin_namespace" } });
      const gone = await ask(`/v1/namespaces/${name}`, { method: "DELETE" });
      expect(gone).toMatchObject({ status: 403, body: { code: "builtin_namespace" } });
    },
  );

  it.each(["1abc", "-a", "a%20b", "a".repeat(64), "%D0%B6"])(
    "rejects the name %s",
    async (name) => {
      expect(await put(name)).toMatchObject({ status: 400, body: { code: "invalid_parameter" } });
    },
  );

  it("R2 with two layouts at once gives one success and a 409", async () => {
    const race = [CUSTOM, { ...CUSTOM, sequenceBits: 11 }, { ...CUSTOM, epochMs: 7 }];
    const answers = await Promise.all(
      race.map((layout) => put("raced", { kind: "snowflake", layout })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});

describe("growing shards", () => {
  it("N2 moves no key: its IDs still increase, from the same shard", async () => {
    await put("growing");
    const keys = Array.from({ length: 12 }, (_, index) => `customer-${index}`);
    const shardOf = async (key: string) =>
      (await ask(`/v1/ids/growing?key=${key}`)).headers.get("edgeflake-shard");
    const before = await Promise.all(keys.map(shardOf));
    expect((await put("growing", { kind: "snowflake", shards: 64 })).status).toBe(200);
    expect(await Promise.all(keys.map(shardOf))).toEqual(before);
  });

  it("keeps the preset that the policy resets to", async () => {
    await put("preset", { kind: "snowflake", preset: "leaf", policy: { maxWaitMs: 60 } });
    const { status, body } = await put("preset", { kind: "snowflake" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      preset: "leaf",
      policy: { maxWaitMs: 100, randomStart: 100, reserveMs: 50 },
    });
  });

  it("defaults to a mark that delays a restart only briefly", async () => {
    const strict = { maxStepBackMs: 0, maxBorrowMs: 0 };
    const policyOf = async (name: string, policy: object) =>
      (await put(name, { kind: "snowflake", policy })).body.policy;
    expect(await policyOf("mark-1", strict)).toMatchObject({ reserveMs: 50 });
    expect(await policyOf("mark-2", { ...strict, maxWaitMs: 20 })).toMatchObject({ reserveMs: 20 });
    expect(await policyOf("mark-3", { reserveMs: 333 })).toMatchObject({ reserveMs: 333 });
  });
});

describe("the worker range", () => {
  it("N3 is split: shards take the lower half, so that they never meet leases", async () => {
    expect((await put("half", { kind: "snowflake", shards: 512 })).status).toBe(201);
    const tiny = { timestampBits: 41, workerBits: 0, sequenceBits: 12 };
    expect((await put("tiny", { kind: "snowflake", layout: tiny })).body).toMatchObject({
      shards: 1,
    });
    const one = { timestampBits: 41, workerBits: 1, sequenceBits: 12 };
    expect((await put("one", { kind: "snowflake", layout: one })).body).toMatchObject({
      shards: 1,
    });
  });
});

describe("DELETE", () => {
  it("R1 retires a name for ever: decode and range still work; issuing, PUT and PATCH answer 410", async () => {
    await put("old");
    const { body } = await ask("/v1/ids/old");
    const [id] = body.ids as string[];
    expect((await ask("/v1/namespaces/old", { method: "DELETE" })).status).toBe(204);
    expect((await ask("/v1/namespaces/old", { method: "DELETE" })).status).toBe(204);
    for (const path of ["/v1/ids/old", "/v1/blocks/old"]) {
      expect(await ask(path)).toMatchObject({ status: 410, body: { code: "namespace_retired" } });
    }
    expect(await put("old")).toMatchObject({ status: 410, body: { code: "namespace_retired" } });
    expect(await patch("old", {})).toMatchObject({
      status: 410,
      body: { code: "namespace_retired" },
    });
    expect((await ask(`/v1/decode/old/${id}`)).status).toBe(200);
    expect((await ask("/v1/range/old?from=2026-01-01&until=2026-01-02")).status).toBe(200);
    expect((await ask("/v1/namespaces/old")).body).toMatchObject({ retired: true });
    expect((await ask("/v1/namespaces/none", { method: "DELETE" })).status).toBe(404);
  });
});

describe("GET", () => {
  it("lists built-in and own namespaces in order, in pages", async () => {
    await put("zz-last");
    const names: string[] = [];
    let cursor = "";
    for (let page = 0; page < 50; page += 1) {
      const { body } = await ask(`/v1/namespaces?limit=3${cursor}`);
      names.push(...(body.namespaces as { name: string }[]).map(({ name }) => name));
      if (body.cursor === undefined) break;
      cursor = `&cursor=${body.cursor}`;
    }
    expect(names).toEqual([...new Set(names)].sort());
    expect(names).toEqual(expect.arrayContaining(["default", "js53", "zz-last"]));
  });
});

describe("an isolate's cached namespace", () => {
  /** A registry that counts its reads of namespaces; it is down if `fails`. */
  function watched(fails: { now: boolean }) {
    const namespace = vi.fn(async (name: string) => {
      if (fails.now) throw new Error("down");
      return env.REGISTRY.getByName("registry").namespace(name);
    });
    const bindings = {
      ...CLOSED,
      REGISTRY: { getByName: () => ({ namespace }) },
    } as unknown as Env;
    return { bindings, namespace };
  }

  it("is read once, then again in the background after 15 to 30 s, and awaited after 30 s", async () => {
    await put("cached");
    vi.spyOn(Math, "random").mockReturnValue(0.9);
    const { bindings, namespace } = watched({ now: false });
    for (let request = 0; request < 5; request += 1) await ask("/v1/ids/cached", { bindings });
    expect(namespace).toHaveBeenCalledTimes(1);
    clock.step(14_900);
    await ask("/v1/ids/cached", { bindings });
    expect(namespace).toHaveBeenCalledTimes(1);
    clock.step(15_000);
    await ask("/v1/ids/cached", { bindings });
    expect(namespace).toHaveBeenCalledTimes(2);
    clock.step(31_000);
    await ask("/v1/ids/cached", { bindings });
    expect(namespace).toHaveBeenCalledTimes(3);
  });

  it("shows a change made elsewhere within 30 s", async () => {
    await put("changing");
    await ask("/v1/blocks/changing");
    const registry = env.REGISTRY.getByName("registry");
    const changed = { kind: "snowflake", policy: { freshForMs: 77 } } as const;
    await registry.putNamespace("changing", changed, ADMIN.id);
    clock.step(30_000);
    expect((await ask("/v1/blocks/changing")).body).toMatchObject({ freshForMs: 77 });
  });

  it("is served for 15 min while the registry fails, then 503; new names are 503 at once", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    await put("known");
    const fails = { now: false };
    const { bindings, namespace } = watched(fails);
    const known = async () => {
      const { status, body } = await ask("/v1/ids/known", { bindings });
      return [status, body.code, body.retryAfterMs];
    };
    await known();
    fails.now = true;
    clock.step(NAMESPACE_STALE_MAX_MS - 1);
    for (let request = 0; request < 5; request += 1) {
      expect(await known()).toEqual([200, undefined, undefined]);
    }
    expect(namespace.mock.calls.length).toBeLessThanOrEqual(3);
    const fresh = await ask("/v1/ids/never-seen", { bindings });
    expect([fresh.status, fresh.body.code]).toEqual([503, "registry_unavailable"]);
    clock.step(1);
    for (const _again of [false, true]) {
      expect(await known()).toEqual([503, "registry_unavailable", 1000]);
    }
    expect((await ask("/v1/ids/default", { bindings })).status).toBe(200);
    fails.now = false;
    expect((await known())[0]).toBe(200);
  });

  it("and the error of a change that may have been made is not definite", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const down = { getByName: () => ({ putNamespace: () => Promise.reject(new Error("down")) }) };
    const bindings = { ...CLOSED, REGISTRY: down } as unknown as Env;
    const json = { kind: "snowflake" };
    const answer = await ask("/v1/namespaces/maybe", { method: "PUT", json, bindings });
    expect(answer).toMatchObject({
      status: 503,
      body: { code: "registry_unavailable", definite: false },
    });
  });

  it("also records for a second that a name is unknown", async () => {
    const { bindings, namespace } = watched({ now: false });
    for (let request = 0; request < 5; request += 1) {
      expect((await ask("/v1/ids/unheard-of", { bindings })).status).toBe(404);
    }
    expect(namespace).toHaveBeenCalledTimes(1);
    await put("unheard-of");
    clock.step(1000);
    expect((await ask("/v1/ids/unheard-of", { bindings })).status).toBe(200);
  });

  it("is not awaited for ever if the registry does not answer", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const never = { getByName: () => ({ namespace: () => new Promise(() => undefined) }) };
    const bindings = { ...CLOSED, REGISTRY: never } as unknown as Env;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const asked = ask("/v1/ids/hangs", { bindings });
      await vi.advanceTimersByTimeAsync(4000);
      expect((await asked).status).toBe(503);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the registry's storage", () => {
  it("reads rows with missing fields, and keeps unknown ones", async () => {
    await put("sparse", { kind: "snowflake", preset: "js53" });
    await put("foreign");
    const { key, id } = await keyFor({ scopes: ["issue"] });
    await runInDurableObject(env.REGISTRY.getByName("registry"), (_, { storage: { sql } }) => {
      for (const field of ["freshForMs", "maxWaitMs", "leaseTtlMaxMs", "leasesPerKeyMax"]) {
        sql.exec(
          `UPDATE namespace SET definition = json_remove(definition, '$.policy.${field}') WHERE name = 'sparse'`,
        );
      }
      sql.exec(
        "UPDATE namespace SET definition = json_set(definition, '$.kind', 'novel') WHERE name = 'foreign'",
      );
      sql.exec(
        "UPDATE apiKey SET record = json_set(record, '$.scopes[#]', 'novel') WHERE id = ?",
        id,
      );
    });
    clock.step(60_000);
    const sparse = await ask("/v1/namespaces/sparse");
    expect(sparse.body.policy).toMatchObject({
      freshForMs: 250,
      maxWaitMs: 1100,
      leaseTtlMaxMs: 600_000,
      leasesPerKeyMax: 4,
    });
    const list = await ask("/v1/namespaces?limit=100&cursor=f");
    expect(list.status).toBe(200);
    expect(list.text).not.toContain('"foreign"');
    expect((await put("foreign")).status).toBe(503);
    expect((await ask("/v1/keys?limit=100")).status).toBe(200);
    expect((await ask("/v1/ids/default", { key })).status).toBe(200);
  });

  it("reads rows that a later version wrote with more fields", async () => {
    await put("later");
    const stub = env.REGISTRY.getByName("registry");
    await runInDurableObject(stub, (_, state) => {
      state.storage.sql.exec(
        `UPDATE namespace SET definition = json_set(definition, '$.novelty', 1, '$.policy.noveltyMs', 2) WHERE name = 'later'`,
      );
    });
    clock.step(60_000);
    expect((await ask("/v1/ids/later")).status).toBe(200);
  });
});
