import type { Layout } from "../core/layout.ts";

/** What the checker reads of an ID. `core/id.ts` reads all of it, at ten times the cost. */
export class IdFields {
  readonly tickMs: number;
  readonly #epochMs: number;
  readonly #timeShift: bigint;
  readonly #shardShift: bigint;
  readonly #shardBits: number;

  constructor(layout: Layout) {
    this.tickMs = layout.tickMs;
    this.#epochMs = layout.epochMs;
    const places = layout.fields.filter(({ name }) => name === "datacenter" || name === "worker");
    const time = layout.fields.find(({ name }) => name === "timestamp");
    this.#timeShift = BigInt(time?.shift ?? 0);
    // The datacenter's bits are right above the worker's.
    this.#shardShift = BigInt(Math.min(layout.totalBits, ...places.map(({ shift }) => shift)));
    this.#shardBits = places.reduce((sum, { bits }) => sum + bits, 0);
  }

  /** When the ID's tick begins, unix ms. Bits above the layout count as time, so that they are not overlooked. */
  unixMsOf(id: bigint): number {
    return this.#epochMs + Number(id >> this.#timeShift) * this.tickMs;
  }

  /** Datacenter and worker fields as one number. */
  shardOf(id: bigint): number {
    return Number(BigInt.asUintN(this.#shardBits, id >> this.#shardShift));
  }
}
