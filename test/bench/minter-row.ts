/** The minter as it is published, with a lease desk in memory behind it. */
import { setTimeout as pause } from "node:timers/promises";
import { Minter } from "edgeflake/minter";
import type { Piece } from "./piece.ts";

/** What one tick of the default layout has. */
const TICK_IDS = 4096;
const NEXT_IDS = 100_000;
const TAKE_IDS = 4096;
const TAKES = 40;
/** A day: no renewal comes in between. */
const TTL_MS = 86_400_000;

/** A lease of the preset `default`, as the service answers it. */
function leaseAnswer(): object {
  const now = Date.now();
  return {
    namespace: "default",
    worker: 512,
    token: "t",
    holder: "bench",
    ttlMs: TTL_MS,
    notBefore: now,
    notAfter: now + TTL_MS,
    renewAfter: now + TTL_MS / 2,
    now,
    layout: {
      timestampBits: 41,
      datacenterBits: 0,
      workerBits: 10,
      laneBits: 0,
      sequenceBits: 12,
      epochMs: 1_735_689_600_000,
      tickMs: 1,
    },
    policy: {
      maxStepBackMs: 3_600_000,
      maxBorrowMs: 1000,
      maxWaitMs: 250,
      randomStart: 0,
      reserveMs: 1000,
    },
  };
}

/** This process asks nobody else for anything. */
async function openMinter(): Promise<Minter> {
  globalThis.fetch = async () => Response.json(leaseAnswer(), { status: 201 });
  return Minter.open({ url: "http://127.0.0.1", namespace: "default", ttlMs: TTL_MS });
}

/** Bursts within maxBorrow: before each, the clock catches up with what the last one borrowed. */
async function catchUp(ids: number): Promise<void> {
  await pause(Math.ceil(ids / TICK_IDS) + 1);
}

export async function minterNext(): Promise<Piece> {
  const minter = await openMinter();
  return {
    idsPerRun: NEXT_IDS,
    prepare: () => catchUp(NEXT_IDS),
    run: () => {
      let sum = 0;
      for (let index = 0; index < NEXT_IDS; index += 1) {
        const id = minter.next();
        sum += id.charCodeAt(id.length - 1);
      }
      return sum;
    },
  };
}

export async function minterTake(): Promise<Piece> {
  const minter = await openMinter();
  return {
    idsPerRun: TAKE_IDS * TAKES,
    prepare: () => catchUp(TAKE_IDS * TAKES),
    run: () => {
      let sum = 0;
      for (let index = 0; index < TAKES; index += 1) {
        for (const id of minter.take(TAKE_IDS)) sum += id.charCodeAt(id.length - 1);
      }
      return sum;
    },
  };
}
