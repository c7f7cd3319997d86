/**
 * The one checker of a simulated world. What it holds each ID and each grant against, by number:
 *  H1 No position is granted twice: all grants of a lane that left its shard are disjoint, also those whose answer
 *     was lost on the way.
 *  H2 No grant leaves its shard at or above the mark that is on disk then.
 *  H3 No ID is given to two callers, and each one lies in a grant that left its shard: worker and lane bits are
 *     those of the owner.
 *  H4 IDs of one key, and of one shard by `order=strict`, are above all that had been acknowledged when their
 *     request was sent, and strictly increase within an answer.
 *  H5 A leased worker ID is no shard's, and an ID minted with it lies in a lease of it that left the desk.
 *  H6 Numbers of a segment: H1 and H3, on one line.
 *  H7 No grant leads its shard's clock by more than maxBorrowMs and maxStepBackMs.
 */
import type { Grant } from "../../../src/core/block.ts";
import { decompose } from "../../../src/core/id.ts";
import type { Layout } from "../../../src/core/layout.ts";
import type { Policy } from "../../../src/core/policy.ts";
import type { Segment } from "../../../src/core/segment.ts";
import type { WorkerLease } from "../../../src/core/worker-lease.ts";
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

export class History {
  readonly #world: World;
  readonly #keepsOrder: boolean;
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
  /** Comparisons of an answer with what was acknowledged before. */
  ordered = 0;
  grants = 0;

  constructor(world: World, { keepsOrder }: { readonly keepsOrder: boolean }) {
    this.#world = world;
    this.#keepsOrder = keepsOrder;
  }

  /** A grant leaves shard `owner` (a name and a worker ID); `mark`: that of its lane on disk. */
  granted(owner: string, { lane, start, end }: Grant, mark: number): void {
    this.grants += 1;
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

  /** Somebody got these IDs. `minted`: out of its own process. */
  got(space: Space, runs: readonly Run[], minted = false): void {
    for (const { first, count } of runs) {
      if (minted) this.minted += count;
      else this.acknowledged += count;
      if (space.layout) this.#gotIds(space.name, space.layout, first, count, minted);
      else this.#gotNumbers(space.name, first, count);
    }
  }

  /** What had been acknowledged of that order: the highest ID. */
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

  #gotIds(name: string, layout: Layout, first: bigint, count: number, minted: boolean): void {
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
    if (minted) this.#mustBeLeased(owner, tick, last.tick);
    else if (!lineOf(this.#granted, `${owner}/${lane}`).has(start, end)) {
      this.#broken("H3", `${first}, ${count} IDs of ${name}, were granted by nobody`);
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
      this.#broken("H6", `${first}, ${count} numbers of ${name}, were given out by nobody`);
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
  const known = lines.get(name);
  if (known) return known;
  const line = new NumberLine<Place>();
  lines.set(name, line);
  return line;
}
