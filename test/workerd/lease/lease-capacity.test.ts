/** Where every worker ID is on lease, and the list of them all. */
import { describe, expect, it } from "vitest";
import { ask } from "../../support/admin.ts";
import { clock, START_MS, useClock } from "../../support/clock.ts";
import {
  acquire,
  list,
  namespaceWith,
  outcomeOf,
  release,
  renew,
  restart,
  tryAcquire,
} from "../../support/leases.ts";

useClock();

describe("default, all 512 worker IDs on lease", () => {
  it("E5 leases 512 to 1023, then says when the first is free, and leases a released one", async () => {
    const leases = [];
    for (let index = 0; index < 512; index += 1) {
      leases.push(await acquire("default", { ttlMs: 60_000 + ((index * 7) % 512) * 100 }));
    }
    expect(leases.map(({ worker }) => worker)).toEqual(
      Array.from({ length: 512 }, (_, index) => 512 + index),
    );
    expect(new Set(leases.map(({ token }) => token)).size).toBe(512);
    await restart("default");
    const full = await tryAcquire("default");
    expect(outcomeOf(full)).toEqual([503, "no_worker_free"]);
    expect(full.body).toMatchObject({ retryAfterMs: 60_000, definite: true });
    expect(full.headers.get("retry-after")).toBe("60");
    const [first, second, third] = leases;
    if (!first || !second || !third) throw new Error("not leased");
    await renew("default", first, { ttlMs: 600_000 });
    expect((await tryAcquire("default")).body.retryAfterMs).toBe(60_100);
    await release("default", third);
    expect((await tryAcquire("default")).body.retryAfterMs).toBe(60_100);
    await release("default", second, `?until=${START_MS + 1500}`);
    const soon = await tryAcquire("default");
    expect([soon.body.retryAfterMs, soon.headers.get("retry-after")]).toEqual([1500, "2"]);
    clock.step(1500);
    const again = await acquire("default");
    expect([again.worker, again.notBefore]).toEqual([second.worker, START_MS + 1500]);
    expect((await tryAcquire("default")).body.retryAfterMs).toBe(58_600);
  });

  it("lists them in pages, each once, in order", async () => {
    for (let index = 0; index < 205; index += 1) await acquire("leaf");
    const seen: number[] = [];
    const lengths: number[] = [];
    let cursor: unknown = 0;
    while (cursor !== undefined) {
      const { body } = await ask(`/v1/leases/leaf?cursor=${cursor}`);
      const page = body.leases as { worker: number }[];
      lengths.push(page.length);
      seen.push(...page.map(({ worker }) => worker));
      cursor = body.cursor;
    }
    expect(lengths).toEqual([100, 100, 5]);
    expect(seen).toEqual(Array.from({ length: 205 }, (_, index) => 512 + index));
  });
});

describe("pages of the list", () => {
  it("have the requested length, and the last has no cursor", async () => {
    await namespaceWith("pages", 3);
    for (let index = 0; index < 4; index += 1) await acquire("pages");
    const first = await ask("/v1/leases/pages?limit=3");
    expect(first.body.leases).toMatchObject([{ worker: 4 }, { worker: 5 }, { worker: 6 }]);
    const second = await ask(`/v1/leases/pages?limit=3&cursor=${first.body.cursor}`);
    expect(second.body.leases).toMatchObject([{ worker: 7 }]);
    expect(second.body.cursor).toBeUndefined();
    expect((await ask("/v1/leases/pages?limit=4")).body.cursor).toBeUndefined();
    expect(await list("pages", "?cursor=8")).toEqual([]);
    expect(await list("pages", `?cursor=${Number.MAX_SAFE_INTEGER}`)).toEqual([]);
  });

  it.each(["limit=0", "limit=101", "limit=x", "cursor=-1", "cursor=x", "cursor=", "page=2"])(
    "reject %s",
    async (query) => {
      expect(outcomeOf(await ask(`/v1/leases/twitter?${query}`))).toEqual([
        400,
        "invalid_parameter",
      ]);
    },
  );
});

describe("E5 a layout", () => {
  it("without worker bits leases nothing, and time does not help", async () => {
    await namespaceWith("bits-0", 0);
    const refused = await tryAcquire("bits-0");
    expect(outcomeOf(refused)).toEqual([503, "no_worker_free"]);
    expect([refused.body.retryAfterMs, refused.headers.get("retry-after")]).toEqual([
      undefined,
      null,
    ]);
    expect(await list("bits-0")).toEqual([]);
  });

  it.each([
    [1, 0, [1]],
    [2, 0, [2, 3]],
    [1, 1, [2, 3]],
    [0, 2, [2, 3]],
    [2, 1, [4, 5, 6, 7]],
  ])(
    "with %i worker and %i datacenter bits leases the upper half, and no shard has it",
    async (workerBits, datacenterBits, workers) => {
      const name = await namespaceWith(`bits-${workerBits}-${datacenterBits}`, workerBits, {
        datacenterBits,
      });
      const leased: number[] = [];
      for (const _ of workers) leased.push((await acquire(name)).worker);
      expect(leased).toEqual(workers);
      expect(outcomeOf(await tryAcquire(name))).toEqual([503, "no_worker_free"]);
      const { body } = await ask(`/v1/namespaces/${name}`);
      expect(body.shards).toBeLessThanOrEqual(workers[0] ?? 0);
      const more = { kind: "snowflake", shards: (workers[0] ?? 0) + 1 };
      const grown = await ask(`/v1/namespaces/${name}`, { method: "PUT", json: more });
      expect(outcomeOf(grown)).toEqual([400, "invalid_body"]);
      const id = await ask(`/v1/ids/${name}?shard=${(workers[0] ?? 0) - 1}`);
      expect(id.status).toBe(200);
      const beyond = await ask(`/v1/ids/${name}?shard=${workers[0]}`);
      expect(outcomeOf(beyond)).toEqual([400, "invalid_parameter"]);
    },
  );
});
