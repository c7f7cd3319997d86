/** Durable Object calls of an isolate with requests at random times: the prefetch rule, without a network. */
import { costOfDemand, FRESH_FOR_MS } from "../support/models/demand-loads.ts";

const SEED = 19;
/** Of a shard in the same region, and of one across an ocean. */
const ROUND_TRIPS_MS = [5, 150] as const;
const RATES = [5, 20, 100, 2000, 5000] as const;

/** About so many requests at each rate, from the same seed each time. */
export function measureDemand(requests: number) {
  return ROUND_TRIPS_MS.flatMap((roundTripMs) =>
    RATES.map((perSecond) => {
      const load = { shape: "steady", perSecond, roundTripMs, requests, seed: SEED } as const;
      const { calls, prefetched } = costOfDemand(load);
      const bound = Math.min(1, 1000 / (FRESH_FOR_MS - roundTripMs) / perSecond);
      return {
        perSecond,
        roundTripMs,
        callsPerMillion: calls * 1e6,
        boundPerMillion: bound * 1e6,
        prefetchedPerServed: prefetched,
      };
    }),
  );
}
