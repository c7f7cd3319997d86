/** E1 to E8 (core/lease/lease-desk) under clocks that go anywhere, two instances, and tokens used for ever. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { play, scripts, specs, startOf } from "../../support/models/lease-script.ts";
import { MemoryDesk, MemoryRows } from "../../support/models/memory-desk.ts";

const RUNS = 3000;

type Played = ReturnType<typeof play>;

function playInMemory(spec: Parameters<typeof startOf>[0], script: Parameters<typeof play>[1]) {
  const clock = { nowMs: startOf(spec) };
  const rows = new MemoryRows();
  return play({ spec, clock, start: () => new MemoryDesk(rows, () => clock.nowMs) }, script);
}

describe("leases, whatever the clocks do", () => {
  it("E1 E2 E3 E4 E5 E6 E7 E8 hold: fences are disjoint, ends never fall, a lost lease stays lost", () => {
    fc.assert(
      fc.property(specs, scripts, (spec, script) => {
        playInMemory(spec, script);
      }),
      { numRuns: RUNS },
    );
  });

  it("the scripts reach all cases", () => {
    const seen = { overtaken: 0, released: 0, stamped: 0, leases: 0, bounded: 0, conflicting: 0 };
    const count = ({ tenures, refused }: Played) => {
      seen.bounded += refused.bounded;
      seen.conflicting += refused.conflicting;
      for (const { over, stamped, from } of tenures) {
        seen.leases += 1;
        if (over === "overtaken") seen.overtaken += 1;
        if (over === "released") seen.released += 1;
        if (stamped > from) seen.stamped += 1;
      }
    };
    for (const [spec, script] of fc.sample(fc.tuple(specs, scripts), { numRuns: 500, seed: 7 })) {
      count(playInMemory(spec, script));
    }
    for (const reached of Object.values(seen)) expect(reached).toBeGreaterThan(100);
  });
});
