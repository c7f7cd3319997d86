/** Which Idempotency-Keys are taken, and how many answers are kept. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { IDEMPOTENCY_KEPT_MS, IDEMPOTENCY_KEYS_MAX } from "../../src/core/limits.ts";
import { app } from "../../src/http/app.ts";
import { worker } from "../../src/http/worker.ts";
import { clock, START_MS, useClock } from "../support/clock.ts";
import { keysKept, numbersOf, refusalOf, someSegment } from "../support/numbers.ts";
import { inSegments, maxIdOf, segmentOf, segmentsOf, specOf } from "../support/segments.ts";
import { send } from "../support/send.ts";

useClock();

/** An answer that was kept: the number 7. */
interface Answer {
  readonly key: string;
  readonly seq: number;
  readonly atMs: number;
}

async function keepAnswers(name: string, answers: readonly Answer[]): Promise<void> {
  await inSegments(name, (sql) => {
    for (const { key, seq, atMs } of answers) {
      sql.exec("INSERT INTO answer VALUES (?, ?, '7', '8', 1, ?)", seq, key, atMs);
    }
  });
}

describe("answers that are kept are bounded", () => {
  const DAY_AGO_MS = START_MS - IDEMPOTENCY_KEPT_MS;
  const next = async (name: string, key: string) =>
    segmentOf(await segmentsOf(name).nextNumbers(specOf(), 1, key, Date.now())).from;

  it("old ones go, two for each new one", async () => {
    const name = "bounded-old";
    await keepAnswers(
      name,
      Array.from({ length: 5 }, (_, seq) => ({ key: `old-${seq}`, seq, atMs: DAY_AGO_MS })),
    );
    await next(name, "a");
    expect(await keysKept(name)).toEqual(["old-2", "old-3", "old-4", "a"]);
    await next(name, "b");
    await next(name, "c");
    expect(await keysKept(name)).toEqual(["a", "b", "c"]);
  });

  it("those of less than a day stay", async () => {
    const name = "bounded-young";
    await keepAnswers(name, [{ key: "young", seq: 1, atMs: DAY_AGO_MS + 1 }]);
    await next(name, "a");
    expect(await keysKept(name)).toEqual(["young", "a"]);
    expect(await next(name, "young")).toBe(7n);
  });

  it("of a full table the oldest go, however young", async () => {
    const name = "bounded-full";
    const atMs = START_MS;
    const seqs = [1, 2, 3, 4, IDEMPOTENCY_KEYS_MAX + 2];
    await keepAnswers(
      name,
      seqs.map((seq) => ({ key: `s${seq}`, seq, atMs })),
    );
    // Takes the place after the last: those a million places before it go.
    await next(name, "a");
    expect(await keysKept(name)).toEqual(["s3", "s4", `s${seqs[4]}`, "a"]);
    await next(name, "b");
    await next(name, "c");
    expect(await keysKept(name)).toEqual([`s${seqs[4]}`, "a", "b", "c"]);
    expect(await next(name, "s3")).toBe(4n);
  });

  it("a key that is used again after a day takes the place of a new one", async () => {
    const name = "bounded-again";
    await next(name, "a");
    await next(name, "b");
    clock.step(IDEMPOTENCY_KEPT_MS);
    await next(name, "a");
    expect(await keysKept(name)).toEqual(["a"]);
  });
});

describe("a key that is not taken", () => {
  it.each([
    ["empty", ""],
    ["of 256 characters", "k".repeat(256)],
    ["with a space", "a b"],
    ["with a tab", "a\tb"],
    ["not in ASCII", "clé"],
  ])("%s: 400 names the header, and nothing is given", async (_, key) => {
    const name = await someSegment();
    for (const path of [
      `/v1/ids/${name}`,
      `/v1/blocks/${name}`,
      `/v1/ids/${name}?format=text&count=5`,
      `/v1/ids/${name}?count=0`,
    ]) {
      const problem = await refusalOf(path, key);
      expect(problem).toMatchObject({ status: 400, code: "invalid_parameter", definite: true });
      expect(problem.errors).toContainEqual({
        parameter: "idempotency-key",
        detail: "takes 1 to 255 visible ASCII characters",
      });
    }
    expect(await maxIdOf(name)).toBeUndefined();
  });

  it.each(["k".repeat(255), '"quoted"', "!~", "a,b", "8e03978e-40d5-43dd-bc93-6894a57f9324"])(
    "others are: %s",
    async (key) => {
      const name = await someSegment();
      for (const _again of [false, true]) {
        expect(await numbersOf(`/v1/ids/${name}`, { key })).toEqual([1n]);
      }
    },
  );
});

describe("on a snowflake namespace", () => {
  it.each(["k", "", "a b"])("the header %j changes nothing", async (key) => {
    const headers = { "idempotency-key": key };
    const ids: unknown[] = [];
    for (const to of [worker, app, worker]) {
      const { status, text } = await send(to, "/v1/ids/default?count=3", { headers });
      expect(status).toBe(200);
      ids.push(...JSON.parse(text).ids);
    }
    expect(new Set(ids).size).toBe(9);
    const blocks = await send(app, "/v1/blocks/default?count=3", { headers, bindings: env });
    expect(blocks.status).toBe(200);
  });
});
