/** What the bench and its load generators say to each other. */
import * as v from "valibot";

export const LoadJob = v.object({
  port: v.number(),
  path: v.string(),
  headers: v.record(v.string(), v.string()),
  connections: v.number(),
  /** No request but each connection's first is begun later; what is on its way is waited for. */
  durationMs: v.number(),
  /** Begin this many requests a second, whatever the answers do. Without it: the next when one is answered. */
  perSecond: v.optional(v.number()),
});
export type LoadJob = v.InferOutput<typeof LoadJob>;

export const LoadResult = v.object({
  /** From the first request to the last answer. */
  elapsedMs: v.number(),
  /** Answers with a status of 2xx. */
  served: v.number(),
  /** Answers with another status, and the last of these. */
  refused: v.number(),
  refusedStatus: v.optional(v.number()),
  /** Connections that broke with an answer outstanding. */
  broken: v.number(),
  bytes: v.number(),
  /** See Histogram. */
  latencyCounts: v.array(v.number()),
  /** Of the generator, user and system. */
  cpuMs: v.number(),
  /** How long it was ready to run and had no core. */
  coreWaitMs: v.optional(v.number()),
});
export type LoadResult = v.InferOutput<typeof LoadResult>;

export const ToGenerator = v.variant("kind", [
  v.object({ kind: v.literal("run"), job: LoadJob }),
  /** How many were served so far? */
  v.object({ kind: v.literal("count") }),
]);
export type ToGenerator = v.InferOutput<typeof ToGenerator>;

export const FromGenerator = v.variant("kind", [
  v.object({ kind: v.literal("result"), result: LoadResult }),
  v.object({ kind: v.literal("count"), served: v.number() }),
  v.object({ kind: v.literal("failed"), reason: v.string() }),
]);
export type FromGenerator = v.InferOutput<typeof FromGenerator>;
