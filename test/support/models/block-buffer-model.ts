/** A BlockBuffer and a model of it, driven alike by random actions. */
import fc from "fast-check";
import { expect } from "vitest";
import {
  BlockBuffer,
  CLAIM_LAPSES_MS,
  type Fetch,
  type RefillRule,
  type Stock,
  type StockUse,
} from "../../../src/core/blocks/block-buffer.ts";
import { idOf, leftAt, openFor, shardOf } from "../../../src/core/blocks/take-blocks.ts";

const NOW_MS = 1_800_000_000_000;
const FRESH_MS = 250;
const YEAR_MS = 365 * 86_400_000;

/** A scripted rule that records its calls. */
export class ScriptedRule implements RefillRule {
  count = 10;
  due = true;
  readonly judged: StockUse[] = [];
  readonly counted: { readonly used: number; readonly freshForMs: number }[] = [];
  /** The used IDs of each. */
  readonly ends: number[] = [];
  misses = 0;
  readonly roundTripsMs: number[] = [];

  countAt(_nowMs: number, used: number, freshForMs: number): number {
    this.counted.push({ used, freshForMs });
    return this.count;
  }

  isDue(use: StockUse): boolean {
    this.judged.push(use);
    return this.due;
  }

  ended(used: number): void {
    this.ends.push(used);
  }

  missed(): void {
    this.misses += 1;
  }

  answered(roundTripMs: number): void {
    this.roundTripsMs.push(roundTripMs);
  }
}

type Asked = "whenPlanned" | "now" | "justFresh" | "tooOld" | "inFuture";

export type BufferAction =
  | { readonly kind: "advance" | "missed" }
  /** At most so many: no more than the block has. */
  | { readonly kind: "skip"; readonly most: number }
  /** So many from one stock. */
  | { readonly kind: "batch"; readonly count: number }
  | {
      readonly kind: "plan";
      readonly count: number;
      readonly countMax: number;
      readonly due: boolean;
    }
  | {
      readonly kind: "fill";
      /** Counted back from the last one: 0 is the fetch planned last; one never planned is unknown. */
      readonly fetch: number;
      readonly blockCounts: readonly number[];
      readonly asked: Asked;
    }
  | { readonly kind: "policy"; readonly freshForMs: number }
  | { readonly kind: "clock"; readonly stepMs: number };

/** The usual, or now and then one of the others. */
function mostly<T>(usual: T, ...others: T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

export const anyBufferAction: fc.Arbitrary<BufferAction> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({ kind: "advance" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "missed" as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("skip" as const), most: fc.nat(4) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("batch" as const),
      count: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("plan" as const),
      count: mostly(5, 0, 1),
      countMax: mostly(100, 0, 3),
      due: mostly(true, false),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("fill" as const),
      fetch: mostly(0, 1, 2, 1000),
      blockCounts: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
      asked: mostly<Asked>("whenPlanned", "now", "justFresh", "tooOld", "inFuture"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("policy" as const),
      freshForMs: mostly(FRESH_MS, 0, 20, 3000, Infinity, Infinity),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("clock" as const),
      stepMs: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 1, max: 30 }) },
        { weight: 1, arbitrary: fc.constantFrom(250, 251, 999, 1000, 5000, YEAR_MS) },
        { weight: 1, arbitrary: fc.constantFrom(-1, -20, -250, -1000, -YEAR_MS) },
      ),
    }),
  },
);

/** A stock as a list of IDs. */
interface Held {
  readonly stock: Stock;
  readonly ids: readonly bigint[];
  used: number;
}

/** A fetch that was planned, and what it brought. */
interface Planned {
  readonly fetch: Fetch;
  held?: Held;
}

/** The model of a buffer: two lists of IDs, and the fetches that may bring the next ones. */
class Model {
  freshForMs = FRESH_MS;
  inUse: Held | undefined;
  ahead: Held | undefined;
  /** Fetches without an answer. */
  #claims: readonly [earlier?: Fetch | undefined, last?: Fetch | undefined] = [];
  readonly endsOf: number[] = [];

  advance(nowMs: number): bigint | undefined {
    const { inUse } = this;
    if (inUse && this.isFresh(inUse.stock, nowMs) && inUse.used < inUse.ids.length)
      return this.next();
    return this.#switchToNext(nowMs) ? this.next() : undefined;
  }

  openFor(count: number, nowMs: number): boolean {
    if (!this.inUse || !this.isFresh(this.inUse.stock, nowMs)) this.#switchToNext(nowMs);
    if (this.inUse && this.inUse.ids.length - this.inUse.used >= count) return true;
    return (this.ahead?.ids.length ?? 0) >= count && this.#switchToNext(nowMs);
  }

  #switchToNext(nowMs: number): boolean {
    this.#end(this.inUse);
    this.inUse = this.ahead;
    this.ahead = undefined;
    if (this.inUse && this.isFresh(this.inUse.stock, nowMs)) return true;
    this.inUse = undefined;
    return false;
  }

  next(): bigint | undefined {
    const { inUse } = this;
    if (!inUse || inUse.used === inUse.ids.length) return undefined;
    inUse.used += 1;
    return inUse.ids[inUse.used - 1];
  }

  mayPlan(nowMs: number, due: boolean): boolean {
    const [isEarlierOpen, isOpen] = this.#claims.map((claim) => this.isOpen(claim, nowMs));
    if (isEarlierOpen) return false;
    return due || !(this.inUse || this.ahead || isOpen);
  }

  plan(fetch: Fetch, nowMs: number): void {
    const [, last] = this.#claims;
    this.#claims = [this.isOpen(last, nowMs) ? last : undefined, fetch];
  }

  fill(fetch: Fetch, held: Held, nowMs: number): boolean {
    const [earlier, last] = this.#claims;
    if (fetch !== earlier && fetch !== last) return false;
    if (this.freshForMs !== Infinity && !this.isOpen(fetch, nowMs)) return false;
    this.#claims = fetch === last ? [earlier] : [undefined, last];
    if (!this.isFresh(held.stock, nowMs)) return false;
    if (this.ahead) this.#switchToNext(nowMs);
    this.ahead = held;
    return true;
  }

  leftAt(nowMs: number): number {
    const left = [this.inUse, this.ahead].map((held) =>
      held && this.isFresh(held.stock, nowMs) ? held.ids.length - held.used : 0,
    );
    return left.reduce((sum, many) => sum + many, 0);
  }

  claimed(nowMs: number): number {
    return this.#claims.filter((claim) => this.isOpen(claim, nowMs)).length;
  }

  isOpen(claim: Fetch | undefined, nowMs: number): boolean {
    const sinceMs = nowMs - (claim?.askedAtMs ?? Number.POSITIVE_INFINITY);
    return sinceMs >= 0 && sinceMs < CLAIM_LAPSES_MS;
  }

  isFresh({ askedAtMs }: Stock, nowMs: number): boolean {
    if (this.freshForMs === Infinity) return true;
    return nowMs >= askedAtMs && nowMs <= askedAtMs + this.freshForMs;
  }

  #end(held: Held | undefined): void {
    if (held) this.endsOf.push(held.used);
  }
}

/** A buffer and its model, driven alike; every ID that leaves is looked at for itself too. */
export class BufferDriver {
  readonly #rule = new ScriptedRule();
  readonly #buffer = new BlockBuffer(this.#rule, FRESH_MS);
  readonly #model = new Model();
  #nowMs = NOW_MS;
  /** Whether `skip` may be called: the clock has not moved since the last `advance`. */
  #sameMoment = false;
  #nextFirst = 1000n;
  readonly #fetches: Planned[] = [];
  readonly #heldById = new Map<bigint, Held>();
  readonly #takenIn = new Set<Held>();
  readonly #handedOut = new Map<Held, number>();

  do(action: BufferAction): void {
    if (action.kind === "clock") this.#moveClock(action.stepMs);
    else if (action.kind === "policy") this.#setPolicy(action.freshForMs);
    else if (action.kind === "plan") this.#plan(action);
    else if (action.kind === "fill") this.#fill(action);
    else if (action.kind === "missed") this.#buffer.missed();
    else if (action.kind === "skip") this.#skip(action.most);
    else if (action.kind === "batch") this.#takeBatch(action.count);
    else this.#advance();
    this.#lookAtLeft();
  }

  end(): void {
    expect(this.#rule.ends).toEqual(this.#model.endsOf);
  }

  #moveClock(stepMs: number): void {
    this.#nowMs += stepMs;
    this.#sameMoment = false;
  }

  #setPolicy(freshForMs: number): void {
    this.#buffer.freshForMs = freshForMs;
    this.#model.freshForMs = freshForMs;
    this.#sameMoment = false;
  }

  #advance(): void {
    const expected = this.#model.advance(this.#nowMs);
    const moved = this.#buffer.advance(this.#nowMs);
    this.#sameMoment = true;
    if (moved) this.#look(idOf(this.#buffer));
    expect(moved ? idOf(this.#buffer) : undefined).toBe(expected);
  }

  /** Only after an `advance` that found an ID. */
  #skip(most: number): void {
    if (!this.#sameMoment || !this.#model.inUse) return;
    const { block, offset } = this.#buffer;
    for (let left = Math.min(most, block.count - offset - 1); left > 0; left -= 1) {
      this.#buffer.skip(1);
      this.#look(idOf(this.#buffer));
      expect(idOf(this.#buffer)).toBe(this.#model.next());
    }
  }

  #takeBatch(count: number): void {
    const isOpen = openFor(this.#buffer, count, this.#nowMs);
    expect(isOpen).toBe(this.#model.openFor(count, this.#nowMs));
    // The block that `skip` moves in may be of a stock that is over.
    this.#sameMoment = false;
    if (!isOpen) return;
    const shard = shardOf(this.#buffer);
    for (let left = count; left > 0; left -= 1) {
      this.#advance();
      expect(shardOf(this.#buffer), "B5 one stock").toBe(shard);
    }
  }

  #lookAtLeft(): void {
    const left = leftAt(this.#buffer, this.#nowMs);
    const { inUse } = this.#model;
    const least = this.#model.leftAt(this.#nowMs);
    if (inUse && !this.#model.isFresh(inUse.stock, this.#nowMs))
      expect(left).toBeLessThanOrEqual(least);
    else expect(left).toBe(least);
  }

  #look(id: bigint): void {
    const held = this.#heldById.get(id);
    if (!held || !this.#takenIn.has(held)) throw new Error(`B1 ${id} is of no stock taken in`);
    const before = this.#handedOut.get(held) ?? 0;
    expect(held.ids.indexOf(id), "B1 the next of its stock, so never one again").toBe(before);
    this.#handedOut.set(held, before + 1);
    expect(this.#model.isFresh(held.stock, this.#nowMs), "B2 is fresh").toBe(true);
    expect(shardOf(this.#buffer)).toBe(held.stock.shard);
  }

  #plan({ count, countMax, due }: Extract<BufferAction, { kind: "plan" }>): void {
    Object.assign(this.#rule, { count, due });
    const claims = this.#model.claimed(this.#nowMs);
    const fetch = this.#buffer.plan(this.#nowMs, countMax);
    const most = Math.min(count, countMax);
    const isExpected = most > 0 && this.#model.mayPlan(this.#nowMs, due);
    expect(fetch?.count).toBe(isExpected ? most : undefined);
    if (!fetch) return;
    expect(claims, "B3 a second claim only if due, and no third").toBeLessThanOrEqual(due ? 1 : 0);
    this.#model.plan(fetch, this.#nowMs);
    this.#fetches.push({ fetch });
  }

  #fill(action: Extract<BufferAction, { kind: "fill" }>): void {
    const unknown: Planned = { fetch: { count: 1, askedAtMs: this.#nowMs } };
    const planned = this.#fetches.at(-1 - action.fetch) ?? unknown;
    const { fetch } = planned;
    // Brought again, it is the same stock.
    planned.held ??= this.#makeHeld(action, fetch.askedAtMs);
    const { held } = planned;
    const isExpected = this.#model.fill(fetch, held, this.#nowMs);
    const isTaken = this.#buffer.fill(fetch, held.stock, this.#nowMs);
    expect(isTaken).toBe(isExpected);
    if (!isTaken) return;
    expect(this.#takenIn.has(held), "B1 taken in once").toBe(false);
    this.#takenIn.add(held);
  }

  #makeHeld(
    { blockCounts, asked }: Extract<BufferAction, { kind: "fill" }>,
    fetchedAtMs: number,
  ): Held {
    const lastsMs = Math.min(this.#model.freshForMs, YEAR_MS);
    const askedAtMs = {
      whenPlanned: fetchedAtMs,
      now: this.#nowMs,
      justFresh: this.#nowMs - lastsMs,
      tooOld: this.#nowMs - lastsMs - 1,
      inFuture: this.#nowMs + 1,
    }[asked];
    const blocks = blockCounts.map((count) => {
      const first = this.#nextFirst;
      this.#nextFirst += BigInt(count) + 10n;
      return { first, count };
    });
    const ids = blocks.flatMap(({ first, count }) =>
      Array.from({ length: count }, (_, index) => first + BigInt(index)),
    );
    const shard = this.#heldById.size;
    const held = { stock: { blocks, shard, askedAtMs }, ids, used: 0 };
    for (const id of ids) this.#heldById.set(id, held);
    return held;
  }
}
