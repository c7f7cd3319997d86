/** Proof that the worlds' checker finds what is broken: guards taken out of the product, one at a time. */
import { describe, expect, it } from "vitest";
import { bundleProduct, type Mutation } from "./bundle.ts";
import { runServiceWorld } from "./service-world.ts";

/** Enough for what is broken to be seen, in one of some worlds. */
const EVENTS_MAX = 100_000;
const SEEDS = [1, 2, 3, 4];

/** Guards taken out, and what is said: an invariant of the history, or that not all was served at the end. */
const BROKEN: readonly (readonly [string, RegExp, Mutation])[] = [
  [
    "a mark that is not written",
    /broken: H2/,
    {
      file: "objects/shard.ts",
      from: "!this.#storage.raise(raise, JSON.stringify(counters))",
      to: "false",
    },
  ],
  [
    "a buffer that serves an ID again",
    /broken: H3/,
    {
      file: "core/block-buffer.ts",
      from: "< this.#block.count) this.#offset += 1",
      to: "< this.#block.count) this.#offset += this.#offset === 2 ? 0 : 1",
    },
  ],
  [
    "a start below the mark",
    /broken: H[134]/,
    {
      file: "core/lanes.ts",
      from: "({ next: mark, mark })",
      to: "({ next: Math.max(0, mark - 4096), mark })",
    },
  ],
  [
    "a mark that is written over",
    /broken: H[13]/,
    { file: "objects/shard-storage.ts", from: "lane = ? AND mark = ?", to: "lane = ? AND ? >= 0" },
  ],
  [
    "a line without an end to what it may borrow",
    /broken: H7/,
    {
      file: "core/lanes.ts",
      from: "Math.min((tick + borrowTicks + forgivenTicks + 1) * sequenceCount, lineEnd)",
      to: "lineEnd",
    },
  ],
  [
    "a superseded instance that does not look",
    /broken: H4/,
    {
      file: "objects/shard.ts",
      from: "if (!this.#storage.holds(lane, state.lanes[lane]?.mark ?? 0))",
      to: "if (false as boolean)",
    },
  ],
  [
    "an instance whose clock stands still and lives on",
    /broken: .* while all was well/,
    {
      file: "core/object-clock.ts",
      from: "echo.leastMs - own.nowMs >= STANDSTILL_MS",
      to: "false",
    },
  ],
  [
    "leases of the shards' worker IDs",
    /broken: H5/,
    { file: "core/worker-lease.ts", from: "first: Math.ceil(workerCount / 2)", to: "first: 0" },
  ],
  [
    "numbers of a segment that are written over",
    /broken: H6/,
    { file: "objects/segment-storage.ts", from: "id = 0 AND maxId = ?", to: "id = 0 AND ? <> ''" },
  ],
];

/** Found within a second; the others take several. */
const QUICK = 2;

async function expectFound(broken: RegExp, mutation: Mutation): Promise<void> {
  const evaluate = await bundleProduct(mutation);
  const worlds = async (): Promise<void> => {
    for (const seed of SEEDS) await runServiceWorld(seed, evaluate, EVENTS_MAX);
  };
  await expect(worlds()).rejects.toThrow(broken);
}

describe("the checker finds", () => {
  it.each(BROKEN.slice(0, QUICK))("%s", (_, broken, mutation) => expectFound(broken, mutation));

  it.each(BROKEN.slice(QUICK))("%s", { tags: ["long"] }, (_, broken, mutation) =>
    expectFound(broken, mutation),
  );
});
