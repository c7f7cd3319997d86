/** One holder with requests at random times, in several shapes: its Durable Object calls, and the least possible. */
import { FreshDemand } from "../../../src/core/blocks/fresh-demand.ts";
import { Random } from "../random.ts";
import { type Outcome, simulateHolder } from "./holder-simulator.ts";

/** The default of a namespace. */
export const FRESH_FOR_MS = 250;

/** A span of one rate. */
interface Phase {
  readonly forMs: number;
  /** Of the highest rate. */
  readonly part: number;
}

/** The phases of each shape; they repeat. */
const SHAPES = {
  steady: [{ forMs: 5000, part: 1 }],
  bursts: [
    { forMs: 1000, part: 1 },
    { forMs: 1000, part: 0 },
  ],
  stops: [
    { forMs: 3000, part: 1 },
    { forMs: 5000, part: 0 },
  ],
  steps: [
    { forMs: 2500, part: 0.1 },
    { forMs: 2500, part: 1 },
  ],
} as const satisfies Record<string, readonly Phase[]>;

export const DEMAND_SHAPES = ["steady", "bursts", "stops", "steps"] as const;

export interface DemandLoad {
  readonly shape: keyof typeof SHAPES;
  /** The highest rate. */
  readonly perSecond: number;
  readonly roundTripMs: number;
  /** About so many requests are counted. */
  readonly requests: number;
  readonly seed: number;
}

export interface DemandCost {
  /** Per request, of which each gets one ID. */
  readonly calls: number;
  /** The same of a holder that knows each rate after two round trips. */
  readonly leastCalls: number;
  /** IDs requested from the shard, per request. */
  readonly prefetched: number;
}

/** The cost from the second time on that the phases repeat, so that the first start does not count. */
export function costOfDemand({ shape, perSecond, roundTripMs, requests, seed }: DemandLoad) {
  const phases: readonly Phase[] = SHAPES[shape];
  const perMs = perSecond / 1000;
  const roundMs = sum(phases.map(({ forMs }) => forMs));
  const perRound = sum(phases.map(({ forMs, part }) => forMs * part * perMs));
  const rounds = Math.ceil(requests / perRound);
  const run = (many: number): Outcome => {
    const asked = arrivals(phases, perMs, new Random(seed));
    const load = { totalMs: many * roundMs, roundTripMs, asked };
    return simulateHolder(new FreshDemand(), FRESH_FOR_MS, load);
  };
  const [first, whole] = [run(1), run(rounds + 1)];
  const counted = (of: (outcome: Outcome) => number) =>
    (of(whole) - of(first)) / (whole.requests - first.requests);
  return {
    calls: counted(({ missed, fetches }) => missed + fetches.length),
    leastCalls: leastCallsOf(phases, perMs, roundTripMs) / perRound,
    prefetched: counted(({ missed, prefetched }) => missed + prefetched),
  } satisfies DemandCost;
}

/** Requests in each ms, which must be queried in order. */
function arrivals(phases: readonly Phase[], perMs: number, random: Random) {
  const gap = () => -Math.log(1 - random.next());
  // Arrivals of rate 1, in a time that runs as fast as the rate is high.
  let [next, reached] = [gap(), 0];
  return (ms: number): number => {
    reached += phaseAt(phases, ms).part * perMs;
    let count = 0;
    for (; next < reached; next += gap()) count += 1;
    return count;
  };
}

/**
 * In one round of the phases: one stock for each freshForMs less a round trip. A higher rate also costs the calls of
 * two requests and of two round trips: the first stock must be small, and the second is fetched after it.
 */
function leastCallsOf(phases: readonly Phase[], perMs: number, roundTripMs: number): number {
  const calls = phases.map(({ forMs, part }, index) => {
    const isHigher = part > (phases.at(index - 1)?.part ?? 0);
    const early = isHigher ? 2 + 2 * part * perMs * roundTripMs : 0;
    return Math.min(part * perMs * forMs, forMs / (FRESH_FOR_MS - roundTripMs) + early);
  });
  return sum(calls);
}

function phaseAt(phases: readonly Phase[], ms: number): Phase {
  let left = ms % sum(phases.map(({ forMs }) => forMs));
  const phase = phases.find(({ forMs }) => {
    left -= forMs;
    return left < 0;
  });
  if (!phase) throw new Error("a shape has phases");
  return phase;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
