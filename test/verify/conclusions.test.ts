/** Conclusions of the history checker: the layout from the service's description, and the exit status from the checks. */
import { describe, expect, it } from "vitest";
import { PRESETS } from "../../src/core/layout/presets.ts";
import type { DialectName } from "../../src/verify/dialects.ts";
import type { Received } from "../../src/verify/http-sender.ts";
import { askedLayout } from "../../src/verify/known-layout.ts";
import { brokenPromises, type Check, exitStatusOf } from "../../src/verify/report.ts";

const LOST: Received = { kind: "indefinite", code: "timeout" };
const TOO_LONG: Received = { kind: "malformed", code: "answer_too_long", text: "<html>" };

function answered(status: number, body: unknown = {}): Received {
  const text = JSON.stringify(body);
  return { kind: "answer", status, text, shard: undefined, delimited: true };
}

function asked(dialect: DialectName, namespace: string, received: Received) {
  return askedLayout({ dialect, namespace, preset: undefined, key: undefined }, received);
}

describe("the layout that the service reports", () => {
  const { spec, policy } = PRESETS.get("js53") ?? {};
  const body = { kind: "snowflake", layout: spec, policy: { ...policy, freshForMs: 250 } };

  it.each(["edgeflake", "leaf-snowflake"] as const)("%s: is what it says", (dialect) => {
    const { layout, source } = asked(dialect, "leaf", answered(200, body));
    expect(layout?.fingerprint).toBe(PRESETS.get("js53")?.layout.fingerprint);
    expect(source).toBe("GET /v1/namespaces/leaf");
  });

  it("is Leaf's own where a server of its dialect has no such route", () => {
    const { layout, source } = asked("leaf-snowflake", "default", answered(404));
    expect(layout).toBe(PRESETS.get("leaf")?.layout);
    expect(source).toBe("Leaf's own layout");
  });

  it.each([
    ["401", answered(401)],
    ["403", answered(403)],
    ["500", answered(500)],
    ["200", answered(200, "welcome")],
    ["timeout", LOST],
    ["answer_too_long", TOO_LONG],
  ])("is not known of a server of Leaf's dialect that says %s", (said, received) => {
    for (const namespace of ["orders", "default"]) {
      const { layout, times, source } = asked("leaf-snowflake", namespace, received);
      expect([layout, times]).toEqual([undefined, undefined]);
      expect(source).toBe(`GET /v1/namespaces/${namespace}: ${said}; use --preset`);
    }
  });

  it("is a built-in namespace's, which never changes, whatever is said of it", () => {
    for (const received of [answered(403), answered(404), LOST]) {
      expect(asked("edgeflake", "twitter", received)).toMatchObject({
        layout: PRESETS.get("twitter")?.layout,
        source: "built-in namespace twitter",
      });
      expect(asked("edgeflake", "orders", received).layout).toBeUndefined();
    }
  });
});

describe("the exit status", () => {
  const report = (broken: readonly string[], interrupted: boolean) => ({
    ok: broken.length === 0,
    interrupted,
    checks: (["history", "form", "times"] as const).map(
      (name): Check => ({
        name,
        verdict: broken.includes(name) ? "broken" : "held",
        broken: 0,
        about: "",
        examples: [],
      }),
    ),
  });

  it.each([
    [[], false, 0],
    [[], true, 0],
    [["times"], false, 1],
    [["times"], true, 1],
    [["history", "form"], false, 1],
    [["history", "form"], true, 1],
    [["history"], false, 3],
    [["history"], true, 130],
  ] as const)("of broken %j, interrupted %s: %d", (broken, interrupted, status) => {
    expect(exitStatusOf(report(broken, interrupted))).toBe(status);
  });

  it("an empty history is no broken promise", () => {
    expect(brokenPromises(report(["history", "times"], false))).toEqual(["times"]);
  });
});
