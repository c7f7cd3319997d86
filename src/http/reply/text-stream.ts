import type { Block } from "../../core/blocks/block.ts";
import type { RefusalCode } from "../../core/refusal.ts";
import type { Granted, Issued } from "../../service/calls/issued.ts";

/**
 * Streams IDs as text, one per line, at the speed of the client. Only the IDs of one part are in memory. A stream that
 * can't finish is aborted: the client sees a broken response, never a short response that looks complete.
 */
export function textStream(
  first: Granted,
  rest: AsyncGenerator<Issued>,
  write: (blocks: readonly Block[]) => Uint8Array,
  cut: (code: RefusalCode) => void,
): ReadableStream<Uint8Array> {
  let pending: Granted | undefined = first;
  return new ReadableStream(
    {
      async pull(controller) {
        const next = pending ? { done: false as const, value: pending } : await rest.next();
        pending = undefined;
        if (next.done) return controller.close();
        if (!next.value.ok) {
          const { code } = next.value.refusal;
          cut(code);
          throw new Error(code);
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
