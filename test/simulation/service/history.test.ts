/** Proof that the worlds' checkers find faults: the tests remove guards of the product, one at a time. */
import { describe, expect, it } from "vitest";
import { bundleProduct, type Evaluate, type Mutation } from "./bundle.ts";
import {
  BROKEN,
  BROKEN_BY_DEAD_SHARDS,
  BROKEN_BY_TAKEOVERS,
  BROKEN_WITH_TRUE_CLOCKS,
} from "./guards-taken-out.ts";
import { runServiceWorld } from "./service-world.ts";
import { runTakeoverWorld } from "./takeover-world.ts";

/** Enough events to show the fault in one of some worlds. */
const EVENTS_MAX = 100_000;
const SEEDS = [1, 2, 3, 4];

/** Found within a second; the others take several. */
const QUICK = 2;
/** A trial comes at the end of each world. */
const EVENTS_BEFORE_TRIAL = 2000;
const TAKEOVERS = 300;

async function expectFound(
  broken: RegExp,
  mutation: Mutation,
  run: (seed: number, evaluate: Evaluate) => Promise<unknown> = (seed, evaluate) =>
    runServiceWorld(seed, evaluate, EVENTS_MAX),
): Promise<void> {
  const evaluate = await bundleProduct(mutation);
  const worlds = async (): Promise<void> => {
    for (const seed of SEEDS) await run(seed, evaluate);
  };
  await expect(worlds()).rejects.toThrow(broken);
}

describe("the checkers find", () => {
  it.each(BROKEN.slice(0, QUICK))("%s", (_, broken, mutation) => expectFound(broken, mutation));

  it.each(BROKEN.slice(QUICK))("%s", { tags: ["long"] }, (_, broken, mutation) =>
    expectFound(broken, mutation),
  );

  const long = { tags: ["long"] };

  it.each(BROKEN_WITH_TRUE_CLOCKS)("%s, with correct clocks", long, (_, broken, mutation) =>
    expectFound(broken, mutation, (seed, evaluate) =>
      runServiceWorld(seed, evaluate, EVENTS_MAX, { clocksAreTrue: true }),
    ),
  );

  it.each(BROKEN_BY_DEAD_SHARDS)("%s, with a dead shard", long, (_, broken, mutation) =>
    expectFound(broken, mutation, (seed, evaluate) =>
      runServiceWorld(seed, evaluate, EVENTS_BEFORE_TRIAL),
    ),
  );

  it.each(BROKEN_BY_TAKEOVERS)("%s, next to a successor", long, (_, broken, mutation) =>
    expectFound(broken, mutation, (seed, evaluate) => runTakeoverWorld(seed, evaluate, TAKEOVERS)),
  );
});
