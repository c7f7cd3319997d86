/** What the bench and the processes that measure pieces say to each other. */
import * as v from "valibot";

export const ToPieces = v.variant("kind", [
  /** Runs the piece for at least that long. */
  v.object({ kind: v.literal("sample"), piece: v.string(), forMs: v.number() }),
  v.object({ kind: v.literal("judge"), piece: v.string() }),
]);
export type ToPieces = v.InferOutput<typeof ToPieces>;

const Verdict = v.object({
  checked: v.number(),
  repeats: v.number(),
  throwsPerId: v.number(),
  burstNsPerId: v.number(),
  waits: v.boolean(),
});

export const FromPieces = v.variant("kind", [
  v.object({
    kind: v.literal("sample"),
    nsPerId: v.number(),
    /** What the runs answered, summed up: said, so that it has to be made. */
    consumed: v.number(),
    wallMs: v.number(),
    /** How long it was ready to run and had no core. */
    coreWaitMs: v.optional(v.number()),
  }),
  v.object({ kind: v.literal("verdict"), verdict: Verdict }),
  v.object({ kind: v.literal("failed"), reason: v.string() }),
]);
export type FromPieces = v.InferOutput<typeof FromPieces>;
