/** Durable Object calls of an isolate with requests at random times: the prefetch rule, without a network. */
import { FreshDemand } from "../../src/core/blocks/fresh-demand.ts";
import { simulateHolder } from "../support/models/holder-simulator.ts";
import { Random } from "../support/random.ts";

const SEED = 19;
/** The default of a namespace. */
const FRESH_FOR_MS = 250;
/** Of a shard in the same region. */
const ROUND_TRIP_MS = 5;
const RATES = [5, 20, 100, 2000] as const;

/** About so many requests at each rate, from the same seed each time. */
export function measureDemand(requestsEach: number) {
  return RATES.map((perSecond) => {
    const random = new Random(SEED);
    const gapMs = () => (-Math.log(1 - random.next()) * 1000) / perSecond;
    let nextMs = gapMs();
    const asked = (ms: number): number => {
      let count = 0;
      for (; nextMs < ms + 1; nextMs += gapMs()) count += 1;
      return count;
    };
    const totalMs = (requestsEach / perSecond) * 1000;
    const load = { totalMs, roundTripMs: ROUND_TRIP_MS, asked };
    const outcome = simulateHolder(new FreshDemand(FRESH_FOR_MS), FRESH_FOR_MS, load);
    const { requests, missed, prefetched, fetches } = outcome;
    return {
      perSecond,
      // A request that finds no ID in memory makes its own call.
      callsPerMillion: ((missed + fetches.length) / requests) * 1e6,
      prefetchedPerServed: (missed + prefetched) / requests,
    };
  });
}
