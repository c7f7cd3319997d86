/** The client's `nextNow()` from its buffer: the client as it is published, with a service in memory behind it. */
import { Edgeflake } from "edgeflake/client";

export interface ClientSource {
  /** So many `nextNow()` in a row are answered from the buffer after each `ready`. */
  readonly idsReady: number;
  /** Uses up what is there until a new lease is in use; not timed. */
  ready(): Promise<void>;
  next(): string;
}

const BLOCK_IDS = 4096;
/** From one tick's first ID of a shard to the next tick's, in the default layout. */
const TICK_IDS = 1n << 22n;
const FIRST_ID = 220_000_000_000_000_000n;
const IDS_READY = 40_000;
/** Far more IDs than the client uses until its leases are large. */
const CALLS_MAX = 10_000_000;

/** Answers blocks as the service does, and remembers where the last large lease begins. */
class MemoryService {
  #tick = 0n;
  largeLeaseFrom = "";

  async blocksOrProblem(_namespace: string, count: number) {
    const blocks: { first: string; count: number }[] = [];
    for (let left = count; left > 0; left -= BLOCK_IDS) {
      const first = `${FIRST_ID + this.#tick * TICK_IDS}`;
      blocks.push({ first, count: Math.min(BLOCK_IDS, left) });
      this.#tick += 1n;
    }
    if (count > IDS_READY) this.largeLeaseFrom = blocks[0]?.first ?? "";
    return { ok: true as const, value: { blocks, shard: 0, freshForMs: 60_000 } };
  }

  decodeOrProblem(): never {
    throw new Error("the bench decodes nothing");
  }
}

export function clientNext(): ClientSource {
  const service = new MemoryService();
  const client = new Edgeflake({ binding: service, namespace: "default" });
  return {
    idsReady: IDS_READY,
    ready: async () => {
      for (let calls = 0; calls < CALLS_MAX; calls += 1) {
        if ((await client.next()) === service.largeLeaseFrom) return;
      }
      throw new Error("the client leases no more than a few IDs");
    },
    next: () => {
      const id = client.nextNow();
      if (id === undefined) throw new Error("the buffer is empty");
      return id;
    },
  };
}
