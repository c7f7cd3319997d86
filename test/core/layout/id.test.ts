import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compose, decompose, maxIdOf } from "../../../src/core/layout/id.ts";
import { tickAt, tickStartMs } from "../../../src/core/layout/layout.ts";
import { PRESETS } from "../../../src/core/layout/presets.ts";
import { presetOf, VECTORS } from "../vectors.ts";

describe("golden vectors", () => {
  it.each(VECTORS)(
    "$title: $id decodes to the published fields",
    ({ layout, id, unixMs, parts }) => {
      const read = decompose(layout, id);
      expect(read).toEqual({ tick: tickAt(layout, unixMs), datacenter: 0, lane: 0, ...parts });
      expect(tickStartMs(layout, read?.tick ?? -1)).toBe(unixMs);
    },
  );

  it.each(VECTORS)("$title: its fields compose $id", ({ layout, id, unixMs, parts }) => {
    const { shard, lane = 0, sequence } = parts;
    expect(compose(layout, { tick: tickAt(layout, unixMs), shard, lane, sequence })).toBe(id);
  });

  it("the largest js53 ID is the largest safe integer", () => {
    expect(maxIdOf(presetOf("js53").layout)).toBe(BigInt(Number.MAX_SAFE_INTEGER));
  });
});

const LAYOUTS = [
  ...[...PRESETS.values()].map(({ layout }) => layout),
  ...VECTORS.map((v) => v.layout),
];

describe("composing and decomposing", () => {
  it("flipping any bit changes exactly one field; bits above the layout are rejected", () => {
    for (const layout of LAYOUTS) {
      const id = maxIdOf(layout) & 0x5a5a5a5a5a5a5a5an;
      const before = decompose(layout, id);
      for (let bit = 0; bit < 64; bit += 1) {
        const after = decompose(layout, id ^ (1n << BigInt(bit)));
        if (bit >= layout.totalBits) {
          expect(after).toBeUndefined();
          continue;
        }
        const changed = (["tick", "datacenter", "worker", "lane", "sequence"] as const).filter(
          (name) => after?.[name] !== before?.[name],
        );
        expect(changed).toHaveLength(1);
      }
    }
  });

  it("rejects negative IDs", () => {
    expect(decompose(presetOf("default").layout, -1n)).toBeUndefined();
  });

  it("are each other's inverse", () => {
    const layouts = fc.constantFrom(...LAYOUTS);
    fc.assert(
      fc.property(layouts, fc.bigInt(0n, (1n << 63n) - 1n), (layout, bits) => {
        const id = bits & maxIdOf(layout);
        const parts = decompose(layout, id);
        expect(parts && compose(layout, parts)).toBe(id);
      }),
    );
  });

  it.each([
    ["tick", { tick: 2 ** 41 }],
    ["tick", { tick: -1 }],
    ["tick", { tick: 0.5 }],
    ["shard", { shard: 1024 }],
    ["lane", { lane: 1 }],
    ["sequence", { sequence: 4096 }],
  ])("does not compose a %s that does not fit: %j", (name, change) => {
    const place = { tick: 0, shard: 0, lane: 0, sequence: 0, ...change };
    expect(() => compose(presetOf("default").layout, place)).toThrow(name);
  });
});
