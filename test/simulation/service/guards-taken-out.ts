/** Guards of the product, each with the change that removes it and the finding of a world. */
import type { Mutation } from "./bundle.ts";

/** The removed guard, the finding that a world must report, and the change. */
export type Broken = readonly [string, RegExp, Mutation];

/** Removed guards, and the finding: an invariant of the history, or requests that were not served at the end. */
export const BROKEN: readonly Broken[] = [
  [
    "a mark that is not written",
    /broken: (H2|O1)/,
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
      file: "core/blocks/block-buffer.ts",
      from: "< this.#block.count) this.#offset += 1",
      to: "< this.#block.count) this.#offset += this.#offset === 2 ? 0 : 1",
    },
  ],
  [
    "a start below the mark",
    /broken: H[134]/,
    {
      file: "core/line/line.ts",
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
      file: "core/line/line.ts",
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
    "an instance whose clock is frozen and lives on",
    /broken: .* while all was well/,
    {
      file: "core/line/object-clock.ts",
      from: "echo.leastMs - own.nowMs >= FROZEN_CLOCK_MS",
      to: "false",
    },
  ],
  [
    "leases of the shards' worker IDs",
    /broken: H5/,
    {
      file: "core/lease/worker-lease.ts",
      from: "first: Math.ceil(workerCount / 2)",
      to: "first: 0",
    },
  ],
  [
    "numbers of a segment that are written over",
    /broken: H6/,
    { file: "objects/segment-storage.ts", from: "id = 0 AND maxId = ?", to: "id = 0 AND ? <> ''" },
  ],
];

/** The same for the checks of worlds with correct clocks. */
export const BROKEN_WITH_TRUE_CLOCKS: readonly Broken[] = [
  [
    "an echo that counts from the reply's own clock",
    /broken: O1/,
    {
      file: "service/calls/object-clocks.ts",
      from: "seenAtMs: Date.now() }",
      to: "seenAtMs: nowMs }",
    },
  ],
  [
    "an instance that is ended by calls that were queued",
    /broken: O1/,
    {
      file: "core/line/object-clock.ts",
      from: "echo.leastMs - own.nowMs >= FROZEN_CLOCK_MS",
      to: "Math.abs(echo.leastMs - own.nowMs) >= 5000",
    },
  ],
  [
    "a throw that is nobody's refusal",
    /broken: A1/,
    {
      file: "service/object-call.ts",
      from: "return fail(refusalOf(what, error), repeated);",
      to: "throw error;",
    },
  ],
  [
    "tries that each have the whole deadline",
    /broken: A2/,
    {
      file: "service/object-call.ts",
      from: "maxMs - Math.max(0, spentMs)",
      to: "maxMs",
    },
  ],
  [
    "a buffer that serves old IDs",
    /broken: H8/,
    {
      file: "core/blocks/block-buffer.ts",
      from: "isWithin(nowMs - askedAtMs, this.freshForMs)",
      to: "nowMs >= askedAtMs",
    },
  ],
  [
    "a wait in a shard that never ends",
    /broken: .* waits for ever/,
    {
      file: "objects/shard.ts",
      from: "await scheduler.wait(now.waitMs);",
      to: "await new Promise(() => undefined);",
    },
  ],
];

/** The same for dead shards, at the end of a world. */
export const BROKEN_BY_DEAD_SHARDS: readonly Broken[] = [
  [
    "no second shard",
    /broken: T1/,
    {
      file: "service/calls/shard-call.ts",
      from: "if (shard === undefined) return first;",
      to: "if (shard !== undefined) return first;",
    },
  ],
  [
    "another shard for who is pinned",
    /broken: (H4|T2)/,
    {
      file: "service/calls/shard-call.ts",
      from: "return request.isPinned\n    ?",
      to: "return request.isPinned && count > 1\n    ?",
    },
  ],
  [
    "a home that does not rest",
    /broken: T3/,
    { file: "service/calls/pick-shard.ts", from: "nowMs - rest.sinceMs < rest.forMs", to: "false" },
  ],
  [
    "a home that all try at once",
    /broken: T3/,
    {
      file: "service/calls/pick-shard.ts",
      from: "if (rest?.hasFailed) rest.sinceMs = nowMs;\n  else if (rest)",
      to: "if (rest)",
    },
  ],
  [
    "a home that rests for ever",
    /broken: T4/,
    {
      file: "service/calls/pick-shard.ts",
      from: "if (rest.hasFailed || hasGranted)",
      to: "if (rest === null)",
    },
  ],
];

/** The same for two instances at the same time. */
export const BROKEN_BY_TAKEOVERS: readonly Broken[] = [
  [
    "a mark that is written over",
    /broken: H[134]/,
    { file: "objects/shard-storage.ts", from: "lane = ? AND mark = ?", to: "lane = ? AND ? >= 0" },
  ],
  [
    "an instance that does not look at its mark",
    /broken: H4/,
    {
      file: "objects/shard.ts",
      from: "if (!this.#storage.holds(lane, state.lanes[lane]?.mark ?? 0))",
      to: "if (false as boolean)",
    },
  ],
  [
    "a first answer that does not wait",
    /broken: H4/,
    { file: "objects/mark-watch.ts", from: "return this.#settling;", to: "return undefined;" },
  ],
  [
    "an instance that looks at the first lane's mark",
    /broken: H4/,
    {
      file: "objects/shard.ts",
      from: "if (grant.lane === line.layout.laneCount - 1) {",
      to: "if (grant.lane === 0) {",
    },
  ],
];
