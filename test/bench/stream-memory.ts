/** How much memory workerd takes for a text stream of a million IDs. */
import type { Generators } from "./generators.ts";
import { SHORT_STREAM_PATH, STREAM_PATH } from "./http-rows.ts";
import { memoryOf, resetPeakMemory } from "./proc.ts";
import { makeBatchNamespace } from "./service.ts";
import { WorkerdProcess } from "./workerd-process.ts";

export interface StreamMemory {
  readonly idleBytes: number;
  readonly peakBytes: number;
}

/** As many, one after another, as a garbage collector needs to show what it lets lie. */
const STREAMS = 3;

/**
 * In a process of its own, since one that has been under load holds so much that a stream finds room in it.
 * Idle is after a text of one ID. Undefined where there is no /proc.
 */
export async function measureStreamMemory(
  generators: Generators,
): Promise<StreamMemory | undefined> {
  const workerd = await WorkerdProcess.start();
  const fetchOnce = (path: string) =>
    generators.run({
      port: workerd.portOf("batches"),
      path,
      headers: {},
      connections: 1,
      durationMs: 0,
    });
  try {
    await makeBatchNamespace(workerd);
    await fetchOnce(SHORT_STREAM_PATH);
    const idle = memoryOf(workerd.pid);
    resetPeakMemory(workerd.pid);
    for (let stream = 0; stream < STREAMS; stream += 1) await fetchOnce(STREAM_PATH);
    const after = memoryOf(workerd.pid);
    return idle && after && { idleBytes: idle.nowBytes, peakBytes: after.peakBytes };
  } finally {
    await workerd.stop();
  }
}
