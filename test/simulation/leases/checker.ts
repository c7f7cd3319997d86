/** Checks every ID against all others, and against the desk's record of its lease. */
import type { LayoutSpec } from "../../../src/core/layout/layout.ts";
import type { Desk } from "./desk.ts";

export class Checker {
  readonly #desk: Desk;
  readonly #tickShift: bigint;
  readonly #workerShift: bigint;
  readonly #workerMask: bigint;
  readonly #ids = new Set<string>();

  constructor(spec: LayoutSpec, desk: Desk) {
    const workerBits = spec.datacenterBits + spec.workerBits;
    const below = spec.lanePlace === "aboveWorker" ? 0 : spec.laneBits;
    this.#desk = desk;
    this.#workerShift = BigInt(spec.sequenceBits + below);
    this.#workerMask = 2n ** BigInt(workerBits) - 1n;
    this.#tickShift = BigInt(spec.sequenceBits + spec.laneBits + workerBits);
  }

  get count(): number {
    return this.#ids.size;
  }

  /** An ID that left the minter of `owner`. */
  take(text: string, owner: number): void {
    const before = this.#ids.size;
    this.#ids.add(text);
    if (this.#ids.size === before) throw new Error(`broken: ${text} came twice`);
    const id = BigInt(text);
    const worker = Number((id >> this.#workerShift) & this.#workerMask);
    const tick = Number(id >> this.#tickShift);
    const leases = this.#desk.leasesOf(worker);
    const record = leases.findLast(
      ({ lease }) => lease.notBeforeTick <= tick && tick < lease.notAfterTick,
    );
    if (!record) throw new Error(`broken: ${text} lies in no lease of worker ID ${worker}`);
    if (record.owner !== owner) throw new Error(`broken: ${text} lies in another's lease`);
    record.highestTick = Math.max(record.highestTick, tick);
  }

  /** A check that is possible at the end only: how the leases ended. */
  finish(): void {
    const { records, layout } = this.#desk;
    for (const { highestTick, lease } of records) {
      const { worker, token, notAfterTick } = lease;
      if (highestTick < notAfterTick) continue;
      throw new Error(`broken: lease ${token} of worker ID ${worker} was stamped past its end`);
    }
    for (let worker = 0; worker < layout.workerCount; worker += 1) {
      const leases = this.#desk.leasesOf(worker);
      for (const [at, { lease }] of leases.entries()) {
        const last = leases[at - 1]?.lease;
        if (!last || last.notAfterTick <= lease.notBeforeTick) continue;
        throw new Error(`broken: leases ${last.token} and ${lease.token} overlap`);
      }
    }
  }
}
