import type { Block } from "../core/block.ts";
import type { Refusal } from "../core/errors.ts";
import type { Issued } from "../service/issued.ts";

type Granted = Extract<Issued, { ok: true }>;

/**
 * One ID a line, made as the client reads, so that no more than one call's IDs are in memory.
 * A stream that cannot finish is aborted: the client sees a broken answer, never a short one that looks whole.
 */
export function textStream(
  first: Granted,
  rest: AsyncGenerator<Issued>,
  write: (blocks: readonly Block[]) => Uint8Array,
  onCut: (refusal: Refusal) => void,
): ReadableStream<Uint8Array> {
  let pending: Granted | undefined = first;
  return new ReadableStream(
    {
      async pull(controller) {
        const next = pending ? { done: false as const, value: pending } : await rest.next();
        pending = undefined;
        if (next.done) return controller.close();
        if (!next.value.ok) {
          onCut(next.value.refusal);
          throw new Error(next.value.refusal.code);
        }
        controller.enqueue(write(next.value.blocks));
      },
      async cancel() {
        await rest.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
