/** A minter in a Worker's module scope, over many requests: each sees only its own work through (npm run build). */
import { env } from "cloudflare:workers";
import * as v from "valibot";
import { afterEach, describe, expect, it, vi } from "vitest";

const TTL_MS = 60_000;
const OPTIONS = { url: "http://localhost", namespace: "default", ttlMs: TTL_MS };
/** A time well before the next renewal, and a time after it but before the lease ends. */
const STEP_MS = 10_000;
const DUE_MS = 40_000;

interface Answer {
  readonly value?: unknown;
  readonly code?: string;
}

async function ask(command: string, passMs = 0, options?: object): Promise<Answer> {
  const init = { method: "POST", body: JSON.stringify({ command, passMs, options }) };
  const answer = await env.MINTING_APP.fetch("http://localhost", init);
  return await answer.json<Answer>();
}

const State = v.object({
  worker: v.optional(v.number()),
  works: v.number(),
  begun: v.number(),
  answered: v.number(),
});
const state = async () => v.parse(State, (await ask("state")).value);

/** IDs of one request. */
async function idsOf(command: "next" | "ready", passMs: number): Promise<string[]> {
  const { value, code } = await ask(command, passMs);
  if (!Array.isArray(value)) throw new Error(`no IDs: ${code}`);
  return value;
}

afterEach(async () => {
  await ask("close");
});

describe("a minter that one request opened", () => {
  it("is renewed by later requests, for many times its lease", async () => {
    await ask("open", 0, { ...OPTIONS, isKept: true });
    const { worker } = await state();
    const ids: string[] = [];
    for (let passedMs = 0; passedMs < 5 * TTL_MS; passedMs += STEP_MS) {
      ids.push(...(await idsOf("next", STEP_MS)));
      // The work that the request passed to waitUntil has ended.
      await vi.waitUntil(async () => (await state()).works === 0, { timeout: 10_000 });
    }
    expect(new Set(ids).size).toBe(ids.length);
    const { begun, ...now } = await state();
    expect(now).toEqual({ worker, works: 0, answered: begun });
    expect(begun).toBeGreaterThan((5 * TTL_MS) / DUE_MS);
  });

  it("is renewed by the next request if the end of a request cut the renewal off", async () => {
    await ask("open", 0, OPTIONS);
    const ids = await idsOf("next", DUE_MS);
    expect(await state()).toMatchObject({ begun: 2, answered: 1 });
    ids.push(...(await idsOf("ready", TTL_MS)));
    expect(await state()).toMatchObject({ answered: 2 });
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("closes in another request, even if work was cut off before", async () => {
    await ask("open", 0, OPTIONS);
    await idsOf("next", DUE_MS);
    expect(await ask("close")).toEqual({});
    expect(await ask("next")).toEqual({ code: "closed" });
  });
});
