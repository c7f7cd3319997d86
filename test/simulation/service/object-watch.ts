/**
 * Records each reply of an object, checked against its disk at that moment (H1, H2, H5 to H7 of the history), and:
 *  O1 An instance ends itself only if another one was alive at the same time, or, unless all clocks are true, because
 *     its clock is frozen. No stall and no queued call ends one.
 */

import type { WorkerLease } from "../../../src/core/lease/worker-lease.ts";
import { readGrantReply } from "../../../src/core/line/grant-reply.ts";
import { readSegmentReply } from "../../../src/core/segment/segment-reply.ts";
import type { Disk } from "./disk.ts";
import type { Call, DurableObject, Left, Listener } from "./durable-object.ts";
import type { History, Space } from "./history.ts";
import type { Instance } from "./instance.ts";
import type { World } from "./world.ts";

/** The product's reasons for the end of an instance. */
const BY_ITS_CLOCK = /clock is frozen/;
const SUPERSEDED = /another instance/;

export interface WatchPlan {
  readonly spaces: readonly Space[];
  readonly shards: number;
  readonly clocksAreTrue: boolean;
}

export class ObjectWatch implements Listener {
  /** Instances that ended themselves. */
  readonly ends = { byClock: 0, superseded: 0 };
  /** Observes calls to dead objects. */
  onMissed: (object: DurableObject, call: Call) => void = () => undefined;
  readonly #world: World;
  readonly #history: History;
  readonly #plan: WatchPlan;

  constructor(world: World, history: History, plan: WatchPlan) {
    this.#world = world;
    this.#history = history;
    this.#plan = plan;
  }

  left(left: Left): void {
    const { className } = left.object.plan;
    const { method } = left.call;
    if (className === "Shard" && method === "grant") this.#granted(left);
    if (className === "Segments" && (method === "nextSegment" || method === "nextNumbers")) {
      this.#gaveNumbers(left);
    }
    if (className === "Leases" && (method === "acquire" || method === "renew")) this.#leased(left);
  }

  aborted({ plan }: DurableObject, { hadCompany }: Instance, reason: string): void {
    const isByClock = BY_ITS_CLOCK.test(reason);
    const mayEnd = isByClock ? !this.#plan.clocksAreTrue : hadCompany && SUPERSEDED.test(reason);
    if (!mayEnd) this.#world.broken(`O1: ${plan.className} ${plan.name} ended: ${reason}`);
    this.ends[isByClock ? "byClock" : "superseded"] += 1;
  }

  missed(object: DurableObject, call: Call): void {
    this.onMissed(object, call);
  }

  #granted({ object, call, value, nowMs }: Left): void {
    const { name, disk } = object.plan;
    const { result } = readGrantReply(`${value}`);
    if (!result.ok) return;
    const space = this.#spaceOf(name.slice(0, name.lastIndexOf("/")));
    for (const grant of result.grants) {
      this.#history.granted(name, grant, markOf(disk, grant.lane), call.sentAtMs);
      if (nowMs !== undefined) this.#history.leads(space, grant, nowMs);
    }
  }

  #gaveNumbers({ object, call, value }: Left): void {
    const { name, disk } = object.plan;
    const reply = readSegmentReply(`${value}`);
    // The same Idempotency-Key gets the same numbers.
    const isRepeatable = call.method === "nextNumbers" && call.args[2] !== "";
    if (reply.ok) this.#history.gaveSegment(name, reply.segment, maxIdOf(disk), isRepeatable);
  }

  #leased({ object, value }: Left): void {
    const reply = value as { readonly ok: boolean; readonly lease?: WorkerLease };
    if (!reply.ok || !reply.lease) return;
    this.#history.leased(this.#spaceOf(object.plan.name), this.#plan.shards, reply.lease);
  }

  #spaceOf(name: string): Space {
    const space = this.#plan.spaces.find((one) => one.name === name);
    if (!space) throw new Error(`there is no namespace ${name}`);
    return space;
  }
}

function markOf(disk: Disk, lane: number): number {
  const rows = disk.rows("lane", `lane = ${lane}`) as { mark: number }[];
  return rows[0]?.mark ?? 0;
}

function maxIdOf(disk: Disk): bigint {
  const rows = disk.rows("segment") as { maxId: string }[];
  return BigInt(rows[0]?.maxId ?? 0);
}
