/** The status of segments, and their decoded numbers. */
import { describe, expect, it } from "vitest";
import { MAX_ID } from "../../../src/core/limits.ts";
import { SEGMENT_LASTS_MS } from "../../../src/core/segment/segment-demand.ts";
import { ask } from "../../support/admin.ts";
import { clock, useClock } from "../../support/clock.ts";
import { numbersOf, refusalOf, someSegment } from "../../support/numbers.ts";
import { evict } from "../../support/segments.ts";

useClock();

describe("/v1/shards", () => {
  it("shows the one object as shard 0, under the names of Leaf's table", async () => {
    const name = await someSegment({ delta: 2, description: "orders" });
    const fresh = {
      shard: 0,
      max_id: "1",
      step: 100,
      start: "1",
      max: `${MAX_ID}`,
      delta: 2,
      remainder: 0,
      description: "orders",
      update_time: null,
      fetches: [],
      counters: { issued: 0, fetches: 0, exact: 0, repeats: 0, refusals: {} },
    };
    expect((await ask(`/v1/shards/${name}/0`)).body).toEqual(fresh);
    await ask(`/v1/ids/${name}`);
    await ask(`/v1/ids/${name}?order=strict&count=5`);
    const time = "2026-06-01T00:00:00.000Z";
    const used = {
      ...fresh,
      max_id: "111",
      update_time: time,
      fetches: [{ time, from: "1", until: "101" }],
      counters: { ...fresh.counters, issued: 55, fetches: 1, exact: 1 },
    };
    expect((await ask(`/v1/shards/${name}/0`)).body).toEqual(used);
    expect((await ask(`/v1/shards/${name}`)).body).toEqual({ shards: [used] });
    expect((await ask(`/v1/shards/${name}?limit=1&cursor=0`)).body).toEqual({ shards: [used] });
    expect((await ask(`/v1/shards/${name}?cursor=1`)).body).toEqual({ shards: [] });
    for (const shard of ["1", "00", "-1", "x"]) {
      expect(await refusalOf(`/v1/shards/${name}/${shard}`)).toMatchObject({
        status: 404,
        code: "not_found",
      });
    }
    expect(await refusalOf(`/v1/shards/${name}?cursor=x`)).toMatchObject({ status: 400 });
  });

  it("shows the last fetches, with lengths by Leaf's rule, through an eviction", async () => {
    const name = await someSegment();
    const widths = async (): Promise<number[]> => {
      const { body } = await ask(`/v1/shards/${name}/0`);
      const fetches = body.fetches as { from: string; until: string }[];
      return fetches.map(({ from, until }) => Number(BigInt(until) - BigInt(from)));
    };
    await numbersOf(`/v1/ids/${name}`);
    for (const gapMs of [1, 1, 1, 2 * SEGMENT_LASTS_MS]) {
      clock.step(gapMs);
      const { length } = await widths();
      while ((await widths()).length === length) await numbersOf(`/v1/ids/${name}?count=10`);
    }
    expect(await widths()).toEqual([200, 400, 200, 100, 100]);
    await evict(name);
    expect(await widths()).toEqual([200, 400, 200, 100, 100]);
  });
});

describe("/v1/decode and /v1/range", () => {
  it("a number decodes to itself, up to max", async () => {
    const name = await someSegment({ start: 5, max: 500 });
    const { body } = await ask(`/v1/decode/${name}/500`);
    expect(body).toEqual({ id: "500", kind: "segment", value: "500" });
    for (const id of ["501", `${MAX_ID + 1n}`, "-1", "1.5", "x", "007"]) {
      const { status, errors } = await refusalOf(`/v1/decode/${name}/${id}`);
      expect(status).toBe(400);
      expect(errors).toMatchObject([{ parameter: "id" }]);
    }
  });

  it("has no time", async () => {
    const name = await someSegment();
    for (const query of ["", "?from=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z"]) {
      expect(await refusalOf(`/v1/range/${name}${query}`)).toMatchObject({
        status: 400,
        code: "wrong_kind",
      });
    }
  });
});
