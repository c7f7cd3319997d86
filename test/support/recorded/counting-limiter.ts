/** A rate limiter with one endless window: the platform's windows follow real time, and may end in the middle of a test. */
export function countingLimiter(limit = 1000) {
  const counts = new Map<string, number>();
  return {
    limit: async ({ key, delta = 1 }: { key: string; delta?: number }) => {
      const count = counts.get(key) ?? 0;
      const success = count < limit;
      if (success) counts.set(key, count + delta);
      return { success };
    },
  };
}
