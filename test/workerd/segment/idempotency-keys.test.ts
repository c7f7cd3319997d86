/** Which Idempotency-Keys are valid, and how many answers are kept. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  IDEMPOTENCY_KEPT_MS,
  IDEMPOTENCY_KEYS_MAX,
  IDEMPOTENCY_KEYS_PER_OWNER_MAX,
} from "../../../src/core/limits.ts";
import { readSegmentReply } from "../../../src/core/segment/segment-reply.ts";
import { app } from "../../../src/http/app.ts";
import { worker } from "../../../src/http/worker.ts";
import { answerKeyOf } from "../../../src/objects/kept-answers.ts";
import { fingerprintOf, parseSegmentSpec } from "../../../src/objects/segment-spec.ts";
import { SegmentStorage } from "../../../src/objects/segment-storage.ts";
import { clock, START_MS, useClock } from "../../support/clock.ts";
import { keysKept, numbersOf, refusalOf, someSegment } from "../../support/numbers.ts";
import {
  breakWrites,
  inSegments,
  makeTables,
  maxIdOf,
  segmentOf,
  segmentsOf,
  specOf,
} from "../../support/segments.ts";
import { send } from "../../support/send.ts";

useClock();

/** An answer that was kept: the number 7. */
interface Answer {
  readonly key: string;
  readonly seq: number;
  /** 1 unless given. */
  readonly ownerSeq?: number;
  readonly atMs: number;
}

/** Keeps answers whose owner is the key itself, or the one before a space. */
async function keepAnswers(name: string, answers: readonly Answer[]): Promise<void> {
  await makeTables(name);
  for (const { key, seq, ownerSeq = 1, atMs } of answers) {
    const { hash, owner } = await answerKeyOf(key);
    await inSegments(name, (sql) =>
      sql.exec("INSERT INTO kept VALUES (?, ?, ?, ?, 7, 1, ?)", seq, hash, owner, ownerSeq, atMs),
    );
  }
}

const next = async (name: string, key: string) =>
  segmentOf(await segmentsOf(name).nextNumbers(specOf(), 1, key, Date.now())).from;

describe("the number of kept answers is bounded", () => {
  const DAY_AGO_MS = START_MS - IDEMPOTENCY_KEPT_MS;

  it("each new answer deletes two old ones", async () => {
    const name = "bounded-old";
    const old = Array.from({ length: 5 }, (_, seq) => ({
      key: `old-${seq}`,
      seq,
      atMs: DAY_AGO_MS,
    }));
    await keepAnswers(name, old);
    const kept = () => keysKept(name, ["a", "b", "c", ...old.map(({ key }) => key)]);
    await next(name, "a");
    expect(await kept()).toEqual(["old-2", "old-3", "old-4", "a"]);
    await next(name, "b");
    await next(name, "c");
    expect(await kept()).toEqual(["a", "b", "c"]);
  });

  it("answers of less than a day stay", async () => {
    const name = "bounded-young";
    await keepAnswers(name, [{ key: "young", seq: 1, atMs: DAY_AGO_MS + 1 }]);
    await next(name, "a");
    expect(await keysKept(name, ["a", "young"])).toEqual(["young", "a"]);
    expect(await next(name, "young")).toBe(7n);
  });

  it("a full table deletes the oldest, at any age", async () => {
    const name = "bounded-full";
    const atMs = START_MS;
    const last = IDEMPOTENCY_KEYS_MAX + 2;
    const seqs = [1, 2, 3, 4, last];
    const full = seqs.map((seq) => ({ key: `s${seq}`, seq, atMs }));
    await keepAnswers(name, full);
    const kept = () => keysKept(name, ["a", "b", "c", ...full.map(({ key }) => key)]);
    // Takes the place after the last: those a million places before it go.
    await next(name, "a");
    expect(await kept()).toEqual(["s3", "s4", `s${last}`, "a"]);
    await next(name, "b");
    await next(name, "c");
    expect(await kept()).toEqual([`s${last}`, "a", "b", "c"]);
    expect(await next(name, "s3")).toBe(4n);
  });

  it("D7 of an owner with too many, only its own oldest answers are deleted", async () => {
    const name = "bounded-owner";
    const atMs = START_MS;
    const last = IDEMPOTENCY_KEYS_PER_OWNER_MAX + 2;
    const full = [1, 2, 3, 4, last].map((ownerSeq, index) => ({
      key: `busy ${ownerSeq}`,
      seq: index + 10,
      ownerSeq,
      atMs,
    }));
    await keepAnswers(name, [{ key: "quiet 1", seq: 1, atMs }, ...full]);
    const fresh = ["busy a", "busy b", "busy c", "quiet 2"];
    const kept = () => keysKept(name, ["quiet 1", ...fresh, ...full.map(({ key }) => key)]);
    await next(name, "busy a");
    expect(await kept()).toEqual(["quiet 1", "busy 3", "busy 4", `busy ${last}`, "busy a"]);
    await next(name, "quiet 2");
    await next(name, "busy b");
    await next(name, "busy c");
    expect(await kept()).toEqual([
      "quiet 1",
      `busy ${last}`,
      "busy a",
      "quiet 2",
      "busy b",
      "busy c",
    ]);
    expect(await next(name, "quiet 1")).toBe(7n);
    expect(await next(name, "busy 3")).toBe(5n);
  });

  it("a key that is used again after a day counts as new", async () => {
    const name = "bounded-again";
    await next(name, "a");
    await next(name, "b");
    clock.step(IDEMPOTENCY_KEPT_MS);
    await next(name, "a");
    expect(await keysKept(name, ["a", "b"])).toEqual(["a"]);
  });
});

describe("answers that an older version stored by the key itself", () => {
  const OLDER = `CREATE TABLE answer (
    seq INTEGER PRIMARY KEY, idempotencyKey TEXT NOT NULL UNIQUE, fromId TEXT NOT NULL, untilId TEXT NOT NULL,
    count INTEGER NOT NULL, atMs INTEGER NOT NULL
  )`;
  /** As that version left it: two answers of delta 3, the second one a second later. */
  const storeOf = (name: string, atMs: number) =>
    inSegments(name, (sql, { storage }) => {
      const to = { maxId: 20n, fingerprint: FINGERPRINT, updatedMs: atMs, tally: "{}" };
      new SegmentStorage(storage).move(undefined, to);
      sql.exec(OLDER);
      sql.exec(
        "INSERT INTO answer VALUES (1, 'owner old', '9223372036854775001', '9223372036854775005', 2, ?)",
        atMs,
      );
      sql.exec("INSERT INTO answer VALUES (2, 'owner newer', '7', '9', 1, ?)", atMs + 1000);
    });
  const SPEC = specOf({ delta: 3, remainder: 2 });
  const FINGERPRINT = fingerprintOf(parseSegmentSpec(SPEC));
  const ask = async (name: string, key: string, count = 1) =>
    readSegmentReply(await segmentsOf(name).nextNumbers(SPEC, count, key, Date.now()));
  const tables = (name: string) =>
    inSegments(name, (sql) =>
      sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").toArray(),
    );

  it("D6 D7 are found until they are a day old, also after new ones are kept", async () => {
    const name = "older-found";
    await storeOf(name, START_MS);
    const old = { from: 9_223_372_036_854_775_001n, until: 9_223_372_036_854_775_005n };
    for (const other of ["owner a", "owner b"]) {
      expect(await ask(name, "owner old", 2)).toEqual({ ok: true, segment: old });
      expect(await ask(name, "owner newer")).toEqual({
        ok: true,
        segment: { from: 7n, until: 9n },
      });
      expect(await ask(name, "owner old")).toMatchObject({
        refusal: { code: "idempotency_conflict" },
      });
      await ask(name, other);
    }
    clock.step(IDEMPOTENCY_KEPT_MS);
    expect(await ask(name, "owner newer")).toEqual({ ok: true, segment: { from: 7n, until: 9n } });
    // Too old. The key's new answer is found by its hash, even while the old row exists.
    const next = await ask(name, "owner old");
    expect(next).toEqual({ ok: true, segment: { from: 24n, until: 27n } });
    expect(await ask(name, "owner old")).toEqual(next);
  });

  it("are deleted with their table when the last one is a day old", async () => {
    const name = "older-gone";
    await storeOf(name, START_MS);
    clock.step(IDEMPOTENCY_KEPT_MS + 999);
    await ask(name, "owner a");
    expect(await tables(name)).toEqual([{ name: "answer" }, { name: "kept" }, { name: "segment" }]);
    clock.step(1);
    await ask(name, "owner b");
    expect(await tables(name)).toEqual([{ name: "kept" }, { name: "segment" }]);
    expect(await ask(name, "owner newer")).toEqual({
      ok: true,
      segment: { from: 24n, until: 27n },
    });
  });

  it("stay if a new answer can't be written", async () => {
    const name = "older-stay";
    await storeOf(name, START_MS);
    const mend = await breakWrites(name, "INSERT ON kept");
    await expect(ask(name, "owner a")).rejects.toThrow("disk full");
    expect(await ask(name, "owner old", 2)).toMatchObject({ ok: true });
    await mend();
    expect(await ask(name, "owner a")).toMatchObject({ ok: true, segment: { from: 20n } });
  });
});

describe("an invalid key", () => {
  it.each([
    ["empty", ""],
    ["of 256 characters", "k".repeat(256)],
    ["with a space", "a b"],
    ["with a tab", "a\tb"],
    ["not in ASCII", "clé"],
  ])("%s: 400 names the header, and nothing is issued", async (_, key) => {
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
        detail: "must be 1 to 255 visible ASCII characters",
      });
    }
    expect(await maxIdOf(name)).toBeUndefined();
  });

  it.each(["k".repeat(255), '"quoted"', "!~", "a,b", "8e03978e-40d5-43dd-bc93-6894a57f9324"])(
    "is not this one: %s",
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
