/**
 * The one checker of a simulated world. Its checks of each ID and each grant, by number:
 *  H1 No position is granted twice: all grants of a lane that left its shard are disjoint, also those whose answer
 *     was lost on the way.
 *  H2 No grant leaves its shard at or above the mark that is on disk then.
 *  H3 No ID is issued to two callers, and each one lies in a grant that left its shard: worker and lane bits are
 *     those of the owner.
 *  H4 IDs of one key, and of one shard by `order=strict`, are above all that had been acknowledged when their
 *     request was sent, and strictly increase within an answer.
 *  H5 A leased worker ID is no shard's, and an ID minted with it lies in a lease of it that left the desk.
 *  H6 Numbers of a segment: H1 and H3, on one line.
 *  H7 No grant leads its shard's clock by more than maxBorrowMs and maxStepBackMs.
 *  H8 With correct clocks, an ID from the memory of an isolate or client was requested by a call that left its
 *     isolate no longer than freshForMs ago.
 */
import type { Grant } from "../../../src/core/blocks/block.ts";
import { decompose } from "../../../src/core/layout/id.ts";
import type { Layout } from "../../../src/core/layout/layout.ts";
import type { Policy } from "../../../src/core/layout/policy.ts";
import type { WorkerLease } from "../../../src/core/lease/worker-lease.ts";
import { FRESH_FOR_DEFAULT_MS } from "../../../src/core/limits.ts";
import type { Segment } from "../../../src/core/segment/segment.ts";
import { Ages } from "./ages.ts";
import { NumberLine } from "./number-line.ts";
import type { World } from "./world.ts";

/** A namespace whose IDs are checked; without a layout, a segment. */
export interface Space {
  readonly name: string;
  readonly layout?: Layout;
  readonly policy?: Policy;
}

/** A run of consecutive IDs. */
export interface Run {
  readonly first: bigint;
  readonly count: number;
}

/** The source of an ID: a response to its own request, a memory, or its own process. */
export type Source = "asked" | "memory" | "minted";

/** Two clocks count whole ms, and drift by 0.1 % at most, in ms. */
const AGE_ERROR_MS = 2;

export class History {
  readonly #world: World;
  readonly #keepsOrder: boolean;
  readonly #clocksAreTrue: boolean;
  readonly #ages = new Map<string, Ages>();
  readonly #granted = new Map<string, NumberLine<number>>();
  readonly #used = new Map<string, NumberLine<number>>();
  readonly #segments = new Map<string, NumberLine<bigint>>();
  readonly #numbers = new Map<string, NumberLine<bigint>>();
  readonly #highest = new Map<string, bigint>();
  readonly #leases = new Map<string, WorkerLease[]>();
  /** IDs that callers got. */
  acknowledged = 0;
  /** IDs that minters made. */
  minted = 0;
  /** IDs from memory whose age was checked. */
  aged = 0;
  /** Comparisons of a response with earlier ones. */
  ordered = 0;
  grants = 0;

  constructor(
    world: World,
    {
      keepsOrder,
      clocksAreTrue,
    }: { readonly keepsOrder: boolean; readonly clocksAreTrue: boolean },
  ) {
    this.#world = world;
    this.#keepsOrder = keepsOrder;
    this.#clocksAreTrue = clocksAreTrue;
  }

  /**
   * A grant leaves shard `owner` (a name and a worker ID); `mark`: that of its lane on disk; `sentAtMs`: when the call
   * for it left.
   */
  granted(owner: string, { lane, start, end }: Grant, mark: number, sentAtMs: number): void {
    this.grants += 1;
    entryOf(this.#ages, `${owner}/${lane}`, () => new Ages()).asked(start, end, sentAtMs);
    const line = lineOf(this.#granted, `${owner}/${lane}`);
    if (!line.take(start, end)) this.#broken("H1", `${start}..${end} of ${owner}/${lane} again`);
    if (end > mark) this.#broken("H2", `${end} of ${owner}/${lane} is above the mark ${mark}`);
  }

  /** A grant of that namespace leaves a shard whose clock shows `nowMs`. */
  leads({ name, layout, policy }: Space, { end }: Grant, nowMs: number): void {
    if (!layout || !policy) return;
    const lastTick = Math.ceil(end / layout.sequenceCount) - 1;
    const leadMs = layout.epochMs + lastTick * layout.tickMs - nowMs;
    const mostMs = policy.maxBorrowMs + policy.maxStepBackMs;
    if (leadMs > mostMs) this.#broken("H7", `a grant of ${name} leads by ${leadMs} ms`);
  }

  /** A segment leaves the object of that namespace; `maxId`: the one on disk. */
  gaveSegment(name: string, { from, until }: Segment, maxId: bigint, isRepeatable: boolean): void {
    this.grants += 1;
    const line = lineOf(this.#segments, name);
    if (!(isRepeatable && line.has(from, until)) && !line.take(from, until)) {
      this.#broken("H6", `${from}..${until} of ${name} again`);
    }
    if (until > maxId) this.#broken("H6", `${until} of ${name} is above ${maxId}`);
  }

  /** A lease leaves the desk of that namespace. */
  leased({ name, layout }: Space, shards: number, lease: WorkerLease): void {
    if (!layout || lease.worker < Math.max(shards, layout.workerCount / 2)) {
      this.#broken("H5", `worker ID ${lease.worker} of ${name} was leased`);
    }
    const place = `${name}/${lease.worker}`;
    const leases = this.#leases.get(place) ?? [];
    this.#leases.set(place, leases);
    leases.push(lease);
  }

  /** Records that a caller got these IDs. */
  got(space: Space, runs: readonly Run[], source: Source): void {
    for (const { first, count } of runs) {
      if (source === "minted") this.minted += count;
      else this.acknowledged += count;
      if (space.layout) this.#gotIds(space, space.layout, { first, count }, source);
      else this.#gotNumbers(space.name, first, count);
    }
  }

  /** The highest acknowledged ID of that order. */
  highest(order: string): bigint {
    return this.#highest.get(order) ?? -1n;
  }

  /** An answer of that order whose request was sent when `above` was the highest. */
  inOrder(order: string, above: bigint, runs: readonly Run[]): void {
    let last = above;
    for (const { first, count } of runs) {
      this.ordered += 1;
      if (first <= last && this.#keepsOrder)
        this.#broken("H4", `${first} of ${order} after ${last}`);
      last = first + BigInt(count) - 1n;
    }
    if (last > this.highest(order)) this.#highest.set(order, last);
  }

  #gotIds({ name }: Space, layout: Layout, { first, count }: Run, source: Source): void {
    const parts = decompose(layout, first);
    const last = decompose(layout, first + BigInt(count) - 1n);
    if (!parts || last?.shard !== parts.shard || last.lane !== parts.lane) {
      this.#broken("H3", `${first}, ${count} IDs of ${name}, leave their lane`);
      return;
    }
    const { tick, shard, lane, sequence } = parts;
    const owner = `${name}/${shard}`;
    const start = tick * layout.sequenceCount + sequence;
    const end = start + count;
    if (!lineOf(this.#used, `${owner}/${lane}`).take(start, end)) {
      this.#broken("H3", `${first}, ${count} IDs of ${name}, were given again`);
    }
    if (source === "memory") this.#mustBeFresh(`${owner}/${lane}`, start, end);
    if (source === "minted") this.#mustBeLeased(owner, tick, last.tick);
    else if (!lineOf(this.#granted, `${owner}/${lane}`).has(start, end)) {
      this.#broken("H3", `${first}, ${count} IDs of ${name}, were granted by nobody`);
    }
  }

  /** The built-in namespaces have the default of freshForMs. */
  #mustBeFresh(place: string, start: number, end: number): void {
    const oldestMs = this.#ages.get(place)?.oldestMs(start, end) ?? this.#world.nowMs;
    const ageMs = this.#world.nowMs - oldestMs;
    this.aged += end - start;
    if (this.#clocksAreTrue && ageMs > FRESH_FOR_DEFAULT_MS + AGE_ERROR_MS) {
      this.#broken("H8", `an ID of ${place} came out of memory ${ageMs} ms old`);
    }
  }

  #mustBeLeased(owner: string, from: number, to: number): void {
    const leases = this.#leases.get(owner) ?? [];
    const holds = leases.some((one) => one.notBeforeTick <= from && to < one.notAfterTick);
    if (!holds) this.#broken("H5", `ticks ${from}..${to} of ${owner} are in no lease`);
  }

  #gotNumbers(name: string, first: bigint, count: number): void {
    const end = first + BigInt(count);
    if (!lineOf(this.#numbers, name).take(first, end)) {
      this.#broken("H6", `${first}, ${count} numbers of ${name}, were given again`);
    }
    if (!lineOf(this.#segments, name).has(first, end)) {
      this.#broken("H6", `${first}, ${count} numbers of ${name}, were issued by no object`);
    }
  }

  #broken(invariant: string, what: string): void {
    this.#world.broken(`${invariant}: ${what}`);
  }
}

function lineOf<Place extends number | bigint>(
  lines: Map<string, NumberLine<Place>>,
  name: string,
): NumberLine<Place> {
  return entryOf(lines, name, () => new NumberLine<Place>());
}

function entryOf<Entry>(entries: Map<string, Entry>, name: string, make: () => Entry): Entry {
  const known = entries.get(name);
  if (known) return known;
  const made = make();
  entries.set(name, made);
  return made;
}
