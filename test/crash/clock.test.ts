/** The clock of the real process steps: between lives, and under load while it runs. Needs `npm run build` before. */
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import {
  BEHIND_BY_A_YEAR,
  HALF_HOUR_BACK_MS,
  SECOND_BACK_MS,
  servedAt,
  YEAR_MS,
} from "./clock-steps.ts";
import { NUMBERS } from "./kinds.ts";
import { Lives } from "./lives.ts";
import { WAIT_MAX_MS } from "./load.ts";
import { HAS_SHIM } from "./shim-or-not.ts";

/** Answers of each namespace after a step: more than were open when the clock changed. */
const ANSWERS = 15;
/** Longer than a test lasts: the longest lease of a built-in namespace. */
const LEASE_TTL_MS = 600_000;

const Held = v.object({ worker: v.number(), token: v.string() });

/** The line of each shard 0 is a year ahead of the clock: each reports that, with the time to retry. */
async function expectYearBehind(lives: Lives): Promise<void> {
  for (const namespace of BEHIND_BY_A_YEAR) {
    const refusal = await lives.ask(namespace);
    expect(refusal, namespace).toMatchObject({ status: 503, code: "clock_behind" });
    const { retryAfterMs = 0 } = refusal.kind === "refused" ? refusal : {};
    // Less than a year by its maxStepBackMs, and by the time since.
    expect(retryAfterMs / YEAR_MS).toBeCloseTo(1, 2);
  }
}

/** Brings all lanes of each shard 0 to the present time: strict order uses the last lane. */
async function useAllLanes(lives: Lives): Promise<void> {
  for (const namespace of BEHIND_BY_A_YEAR) {
    await lives.ask(namespace);
    await lives.ask(namespace, "shard=0&order=strict");
  }
}

/** Renews a held lease, and returns the status. */
async function leaseHeld(url: string): Promise<() => Promise<number>> {
  const leases = `${url}/v1/leases/default`;
  const send = (to: string, method: string, headers: Record<string, string>, body: object) =>
    fetch(to, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const acquired = await send(leases, "POST", {}, { ttlMs: LEASE_TTL_MS });
  const { worker, token } = v.parse(Held, await acquired.json());
  return async () => {
    const renewed = await send(
      `${leases}/${worker}`,
      "PUT",
      { "edgeflake-lease-token": token },
      {},
    );
    await renewed.arrayBuffer();
    return renewed.status;
  };
}

/** Load while the clock goes back and forward again, with a restart at the end. */
async function expectServedThrough(offsetMs: number): Promise<void> {
  const lives = Lives.ofTest({ withShim: true });
  await lives.start();
  await lives.makeNumbers();
  // Before the load, which leases all worker IDs.
  const renew = await leaseHeld(lives.service.url);
  const load = lives.load();
  await load.serves(servedAt(0), ANSWERS);
  lives.shim.setClock(offsetMs);
  await load.serves(servedAt(offsetMs), ANSWERS);
  await expect.poll(renew, { timeout: WAIT_MAX_MS }).toBe(200);
  if (offsetMs < SECOND_BACK_MS) await load.isRefused("clock_behind", ANSWERS);
  lives.shim.setClock(0);
  await load.serves(servedAt(0), ANSWERS);
  await expect.poll(renew, { timeout: WAIT_MAX_MS }).toBe(200);
  await lives.crash();
  await lives.start();
  await lives.load().serves(servedAt(0), ANSWERS);
  await lives.crash();
  expect(lives.ledger.faults()).toEqual([]);
}

describe.skipIf(!HAS_SHIM)("the service's clock", () => {
  it("a restart with the clock a year back: rejects requests until the clock is right again", {
    tags: ["long"],
  }, async () => {
    const lives = Lives.ofTest({ withShim: true });
    await lives.start();
    await lives.makeNumbers();
    await lives.load().serves(servedAt(0), ANSWERS);
    await useAllLanes(lives);
    await lives.crash();
    await lives.start(-YEAR_MS);
    await expectYearBehind(lives);
    const load = lives.load();
    await load.serves([NUMBERS], ANSWERS);
    await load.isRefused("clock_behind", ANSWERS);
    lives.shim.setClock(0);
    await load.serves(servedAt(0), ANSWERS);
    await load.stop();
    for (const namespace of BEHIND_BY_A_YEAR) {
      expect(await lives.ask(namespace), namespace).toMatchObject({ kind: "acknowledged" });
    }
    expect(lives.ledger.faults()).toEqual([]);
  });

  it("goes back half an hour under load: namespaces that allow it continue, the others when it is right again", () =>
    expectServedThrough(HALF_HOUR_BACK_MS));

  it.each([
    ["a second", SECOND_BACK_MS],
    ["a year", -YEAR_MS],
  ])(
    "goes back %s under load: namespaces that allow it continue, the others when it is right again",
    { tags: ["long"] },
    (_, offsetMs) => expectServedThrough(offsetMs),
  );

  it("was a year ahead: at the right time again, the service rejects requests on that data folder, and repeats nothing", {
    tags: ["long"],
  }, async () => {
    const lives = Lives.ofTest({ withShim: true });
    await lives.start(YEAR_MS);
    await lives.makeNumbers();
    await useAllLanes(lives);
    await lives.load().serves(servedAt(0), ANSWERS);
    await lives.crash();
    await lives.start();
    await expectYearBehind(lives);
    const behind = lives.load();
    await behind.serves([NUMBERS], ANSWERS);
    await behind.isRefused("clock_behind", ANSWERS);
    await lives.crash();
    await lives.start(YEAR_MS);
    const ahead = lives.load();
    await ahead.serves(servedAt(0), ANSWERS);
    lives.shim.setClock(0);
    await ahead.isRefused("clock_behind", ANSWERS);
    await ahead.serves([NUMBERS], ANSWERS);
    await lives.crash();
    expect(lives.ledger.faults()).toEqual([]);
  });
});
