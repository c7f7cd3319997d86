import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  answersOf,
  type Given,
  History,
  KEY_A,
  KEY_B,
  PLAIN,
  play,
  RULES,
  type Step,
} from "./history.ts";

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("send" as const), source: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ kind: fc.constant("answer" as const), at: fc.nat(20) }),
);
const steps = fc.array(step, { minLength: 1, maxLength: 100, size: "max" });

/** Even numbers in the order of the answers: the odd ones are left for faults. */
function rightAnswers(events: readonly Step[], count: number): Given[] {
  let next = 1000n;
  return answersOf(events, () =>
    Array.from({ length: count }, () => {
      next += 2n;
      return next;
    }),
  );
}

describe("a right history", () => {
  it("has nothing broken, whatever overlaps", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 3 }), (events, count) => {
        const answers = rightAnswers(events, count);
        fc.pre(answers.length > 0);
        const history = play(answers, { count });
        expect(history.broken()).toEqual([]);
        expect(history.verdict("duplicates").verdict).toBe("held");
      }),
    );
  });

  it("has no order between requests that overlap", () => {
    const history = new History();
    const early = history.send(KEY_A);
    history.answer(KEY_A, [20n]);
    history.end(early, { kind: "acknowledged", ids: [10n] });
    expect(history.broken()).toEqual([]);
  });

  it("has no order between keys, nor of plain requests", () => {
    const history = new History();
    history.answer(KEY_A, [20n]);
    history.answer(KEY_B, [10n]);
    history.answer(PLAIN, [9n]);
    history.answer(PLAIN, [8n]);
    expect(history.broken()).toEqual([]);
  });
});

describe("duplicates", () => {
  it("a planted one is found at any place, and named", () => {
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 3 }),
        fc.nat(),
        fc.nat(),
        (events, count, from, to) => {
          const answers = rightAnswers(events, count);
          const places = answers.flatMap(({ ids }) => ids.map((_, at) => ({ ids, at })));
          fc.pre(places.length > 1);
          const source = places[from % places.length];
          const target = places[to % places.length];
          if (!source || !target || source === target) return;
          const id = source.ids[source.at] ?? 0n;
          target.ids[target.at] = id;
          const check = play(answers, { count }).verdict("duplicates");
          expect(check).toMatchObject({ verdict: "broken", broken: 1 });
          expect(check.examples[0]).toMatch(new RegExp(`^${id} at .* and at `));
        },
      ),
    );
  });

  it("are counted beyond the first, in one answer too, and each is named with its places", () => {
    const history = new History({ count: 3 });
    history.answer(KEY_A, [5n, 7n, 7n], 2);
    history.answer(PLAIN, [5n, 8n, 9n], 3);
    history.answer(PLAIN, [5n, 0n, 0n]);
    const { broken, examples } = history.verdict("duplicates");
    expect(broken).toBe(4);
    expect(examples).toEqual([
      "0 at 0.006 s (plain) and at 0.006 s (plain)",
      "5 at 0.002 s (key a, shard 2) and at 0.004 s (plain, shard 3) and at 0.006 s (plain)",
      "7 at 0.002 s (key a, shard 2) and at 0.002 s (key a, shard 2)",
    ]);
  });

  it("are found among the largest IDs, beside a single 0", () => {
    const history = new History();
    const largest = 2n ** 63n - 1n;
    for (const id of [largest, 0n, largest - 1n, largest]) history.answer(PLAIN, [id]);
    expect(history.verdict("duplicates")).toMatchObject({ broken: 1 });
    expect(history.verdict("duplicates").examples[0]).toContain(`${largest}`);
  });
});

/** By the definition, in quadratic time. */
function violations(answers: readonly Given[]): number {
  let count = 0;
  for (const { source, sent, ids } of answers.filter((answer) => answer.source !== PLAIN)) {
    const before = answers.filter((other) => other.source === source && other.ended < sent);
    let last = before.flatMap((other) => other.ids).reduce((a, b) => (a > b ? a : b), -1n);
    for (const id of ids) {
      if (id <= last) count += 1;
      last = id;
    }
  }
  return count;
}

describe("the order of a key", () => {
  it("is broken as often as the definition says", () => {
    const noise = fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 3 }), noise, (events, count, drift) => {
        const answers = answersOf(events, (_, answer) =>
          Array.from({ length: count }, (_, at) =>
            BigInt(1000 + answer * 3 + at + (drift[(answer + at) % drift.length] ?? 0)),
          ),
        );
        fc.pre(answers.length > 0);
        const check = play(answers, { count }).verdict("key_order");
        expect(check.broken).toBe(violations(answers));
      }),
      { numRuns: 300 },
    );
  });

  it("a planted step back is found at any place", () => {
    fc.assert(
      fc.property(steps, fc.nat(), fc.nat(), (events, place, before) => {
        const answers = rightAnswers(events, 1);
        const pairs = answers.flatMap((late) =>
          answers
            .filter((early) => early.source === late.source && early.ended < late.sent)
            .filter(({ source }) => source !== PLAIN)
            .map((early) => ({ early, late })),
        );
        fc.pre(pairs.length > 0);
        const pair = pairs[place % pairs.length];
        if (!pair) return;
        pair.late.ids[0] = (pair.early.ids[0] ?? 0n) - 1n - 2n * BigInt(before % 3);
        const check = play(answers).verdict("key_order");
        expect(check.broken).toBeGreaterThan(0);
        expect(check.examples.join()).toContain(`${pair.late.ids[0]}`);
      }),
    );
  });

  it("is not held where nothing came before the next was asked for", () => {
    const history = new History({ count: 2, strict: true });
    const open = [KEY_A, KEY_A, KEY_B, PLAIN].map((source) => history.send(source));
    for (const [at, sent] of open.entries()) {
      const ids = [BigInt(2 * at), BigInt(2 * at + 1)];
      history.end(sent, { kind: "acknowledged", ids, shard: 1 });
    }
    const about = "no request was sent after an earlier answer";
    expect(history.verdict("key_order")).toMatchObject({ verdict: "not_checked", about });
    expect(history.verdict("shard_order")).toMatchObject({ verdict: "not_checked", about });
    history.answer(KEY_B, [20n, 21n], 1);
    expect(history.verdict("key_order")).toMatchObject({
      verdict: "held",
      about: "IDs for one key strictly increase (2 compared)",
    });
    expect(history.verdict("shard_order")).toMatchObject({
      verdict: "held",
      about: "IDs of a shard strictly increase (2 compared)",
    });
  });

  it("is broken within an answer that nothing came before", () => {
    const history = new History({ count: 2 });
    history.answer(KEY_A, [2n, 1n]);
    expect(history.verdict("key_order")).toMatchObject({
      verdict: "broken",
      about: "IDs for one key strictly increase (0 compared)",
    });
  });

  it("says what came after what", () => {
    const history = new History({ count: 2 });
    history.answer(KEY_B, [10n, 20n], 4);
    history.answer(KEY_B, [20n, 15n], 4);
    expect(history.verdict("key_order").examples).toEqual([
      "key b: 20 at 0.004 s (key b, shard 4) after 20 at 0.002 s (key b, shard 4)",
      "key b: 15 at 0.004 s (key b, shard 4) after 20 at 0.004 s (key b, shard 4)",
    ]);
  });
});

describe("the order of a shard", () => {
  it("holds over all requests in strict order, by the shard that the answer names", () => {
    const history = new History({ strict: true });
    history.answer(PLAIN, [20n], 1);
    history.answer(PLAIN, [10n], 2);
    expect(history.broken()).toEqual([]);
    history.answer(KEY_A, [19n], 1);
    expect(history.verdict("shard_order")).toMatchObject({ verdict: "broken", broken: 1 });
  });

  it("is nobody's promise in fresh order", () => {
    const history = new History();
    history.answer(PLAIN, [20n], 1);
    history.answer(PLAIN, [10n], 1);
    expect(history.verdict("shard_order").verdict).toBe("not_checked");
  });
});

describe("what came of requests", () => {
  it("is counted by kind and code", () => {
    const history = new History();
    history.answer(PLAIN, [1n]);
    history.end(history.send(), { kind: "definite", code: "shard_saturated", detail: "full" });
    history.end(history.send(), { kind: "definite", code: "shard_saturated" });
    history.end(history.send(), { kind: "indefinite", code: "timeout" });
    const [code, text] = ["malformed_answer", "\u001b[2J<html>"];
    history.end(history.send(), { kind: "malformed", code, text });
    history.checker.skip(3);
    expect(history.checker.requests).toEqual({
      due: 8,
      sent: 5,
      skipped: 3,
      acknowledged: 1,
      definite: 2,
      indefinite: 2,
    });
    expect(history.checker.failures.list()).toEqual([
      { code: "shard_saturated", definite: 2, indefinite: 0, example: "full" },
      { code: "timeout", definite: 0, indefinite: 1, example: "" },
      { code: "malformed_answer", definite: 0, indefinite: 1, example: "?[2J<html>" },
    ]);
    expect(history.broken()).toEqual(["form"]);
    expect(history.verdict("form").examples).toEqual(['at 0.010 s: "?[2J<html>"']);
  });

  it("without one ID, is a history that proves nothing", () => {
    const history = new History();
    expect(history.broken()).toEqual(["history"]);
    history.end(history.send(), { kind: "definite", code: "connection_refused" });
    expect(history.broken()).toEqual(["history"]);
    expect(history.verdict("duplicates").verdict).toBe("not_checked");
    history.answer(PLAIN, []);
    expect(history.broken()).toEqual(["history", "counts"]);
  });

  it("without one ID, says of what was broken what is expected", () => {
    const history = new History();
    history.end(history.send(), { kind: "malformed", text: "", code: "answer_too_long" });
    expect(history.verdict("form")).toMatchObject({
      verdict: "broken",
      about: "answers are well-formed, IDs canonical decimals",
    });
    expect(history.verdict("counts").about).toBe("no ID was acknowledged");
    expect(history.checker.failures.list()).toMatchObject([{ code: "answer_too_long" }]);
  });

  it("has the first words that were said of a failure", () => {
    const history = new History();
    for (const detail of [undefined, "one", "two"]) {
      history.end(history.send(), { kind: "indefinite", code: "body_cut", detail });
    }
    expect(history.checker.failures.list()).toMatchObject([{ indefinite: 3, example: "one" }]);
  });

  it("codes that a server makes up are told apart to a bound", () => {
    const history = new History();
    for (let made = 0; made < 90; made += 1) {
      history.end(history.send(), { kind: "definite", code: `code_${made}` });
    }
    const list = history.checker.failures.list();
    expect(list).toHaveLength(33);
    expect(list[0]).toMatchObject({ code: "other", definite: 58 });
  });

  it.each([0, 1, 3])("%d IDs instead of two are the wrong count", (many) => {
    const ids = [1n, 2n, 3n].slice(0, many);
    const history = new History({ count: 2, requestsMax: 1 });
    history.answer(PLAIN, ids);
    expect(history.verdict("counts")).toMatchObject({ verdict: "broken", broken: 1 });
    // Only requested IDs have room.
    expect(history.checker.ids.count).toBe(Math.min(2, ids.length));
  });

  it("latencies count from when a request was due", () => {
    const history = new History(RULES);
    const sent = history.checker.sent(PLAIN, 0, { ms: 900, unixMs: 0 });
    history.nowMs = 999;
    history.end(sent, { kind: "acknowledged", ids: [1n] });
    // In µs, to three digits.
    expect(history.checker.fromSchedule.max / 1_000_000).toBeCloseTo(1, 3);
    expect(history.checker.fromSending.max / 100_000).toBeCloseTo(1, 3);
  });
});
