/** The events of a lease desk in a model test, and how they are played. */

import fc from "fast-check";
import type { LayoutSpec } from "../../../src/core/layout/layout.ts";
import type { LeaseTerms } from "../../../src/core/lease/lease-desk.ts";
import { NO_ECHO } from "../../../src/core/line/object-clock.ts";
import { LeaseChecker } from "./lease-checker.ts";
import type { Desk } from "./memory-desk.ts";

const YEAR_MS = 365 * 86_400_000;

const KEYED_TTL_MS = 20_000;

/** Which of the leases there ever were, by its place from the newest. */
interface Picked {
  readonly pick: number;
}

type Happening = { readonly desk: 0 | 1 } & (
  | {
      readonly kind: "acquire";
      readonly key: number | undefined;
      readonly holder: string;
      readonly ttlMs: number;
      readonly terms: LeaseTerms;
      readonly aheadMs: number;
    }
  | (Picked & {
      readonly kind: "renew";
      readonly ttlMs: number | undefined;
      readonly terms: LeaseTerms;
      readonly aheadMs: number;
    })
  | (Picked & { readonly kind: "stamp"; readonly part: number })
  | (Picked & { readonly kind: "release"; readonly until: number | undefined })
  | { readonly kind: "revoke"; readonly worker: number }
  | { readonly kind: "clock"; readonly stepMs: number }
  | { readonly kind: "restart" }
);
export type Script = readonly Happening[];

const desk = fc.constantFrom<0 | 1>(0, 1);
const pick = fc.oneof(fc.constant(0), fc.nat({ max: 7 }));
const ttlMs = fc.oneof(
  fc.constantFrom(5000, 5001, 60_000, 86_400_000),
  fc.integer({ min: 5000, max: 20_000 }),
);
const aheadMs = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.constantFrom(60_000, 60_001, -60_001, YEAR_MS, -YEAR_MS) },
);
const stepMs = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 12_000 }) },
  { weight: 3, arbitrary: fc.constantFrom(-1, 1, -1000, 5000, 60_000, -3_600_000, 86_400_000) },
  { weight: 1, arbitrary: fc.constantFrom(YEAR_MS, -YEAR_MS) },
);
/** Few callers, so that they reach their bounds; the policy may have changed in between. */
const terms: fc.Arbitrary<LeaseTerms> = fc.record({
  owner: fc.constantFrom("key-1", "key-2"),
  leasesMax: fc.constantFrom(null, null, 1, 2),
  ttlMaxMs: fc.constantFrom(86_400_000, 86_400_000, 60_000, 5000),
});
const of = <const Kind extends string>(kind: Kind) => fc.constant(kind);

export const scripts: fc.Arbitrary<Script> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: of("acquire"),
        desk,
        key: fc.option(fc.nat({ max: 2 }), { nil: undefined }),
        holder: fc.constantFrom("same", "same", "same", "other"),
        ttlMs,
        terms,
        aheadMs,
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: of("renew"),
        desk,
        pick,
        ttlMs: fc.option(ttlMs, { nil: undefined }),
        terms,
        aheadMs,
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: of("stamp"), desk, pick, part: fc.constantFrom(0.3, 1) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: of("release"),
        desk,
        pick,
        // Ticks past the first that was not stamped.
        until: fc.option(fc.constantFrom(0, 1, 1000, 10 ** 9), { nil: undefined }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: of("revoke"), desk, worker: fc.nat({ max: 3 }) }) },
    { weight: 5, arbitrary: fc.record({ kind: of("clock"), desk, stepMs }) },
    { weight: 1, arbitrary: fc.record({ kind: of("restart"), desk }) },
  ),
  { minLength: 1, maxLength: 50, size: "max" },
);

/** Layouts with 0, 1, 2 or 4 worker IDs to lease, some of which end soon. */
export const specs: fc.Arbitrary<LayoutSpec> = fc.record({
  timestampBits: fc.constantFrom(14, 24, 41, 41),
  datacenterBits: fc.constant(0),
  workerBits: fc.constantFrom(0, 1, 1, 2, 3),
  laneBits: fc.constant(0),
  sequenceBits: fc.constant(8),
  epochMs: fc.constantFrom(0, 1_700_000_000_000),
  tickMs: fc.constantFrom(1, 10, 1000),
});

/** Where a script begins: within the layout's time, with room to go back. */
export function startOf({ epochMs, timestampBits, tickMs }: LayoutSpec): number {
  return epochMs + Math.min(3 * YEAR_MS, (2 ** timestampBits * tickMs) / 2);
}

interface Stage {
  readonly spec: LayoutSpec;
  readonly clock: { nowMs: number };
  /** A new instance of the desk on the same storage. */
  readonly start: () => Desk;
}

/** Plays a script on two instances of a desk, each answer judged. Answers the judge, who has seen it all. */
export function play({ spec, clock, start }: Stage, script: Script): LeaseChecker {
  const checker = new LeaseChecker(spec);
  const desks = [start(), start()];
  for (const [index, happening] of script.entries()) {
    if (happening.kind === "clock") clock.nowMs = Math.max(0, clock.nowMs + happening.stepMs);
    else if (happening.kind === "restart") desks[happening.desk] = start();
    else {
      const desk = desks[happening.desk] ?? start();
      ask(checker, desk, spec, clock.nowMs, happening, index);
    }
  }
  checker.end();
  return checker;
}

function ask(
  checker: LeaseChecker,
  desk: Desk,
  spec: LayoutSpec,
  nowMs: number,
  happening: Exclude<Happening, { kind: "clock" | "restart" }>,
  index: number,
): void {
  if (happening.kind === "acquire") {
    const { key, holder, terms, aheadMs } = happening;
    const idempotencyKey = key === undefined ? `unique-${index}` : `key-${key}`;
    // Requests of one key differ by their holders alone.
    const ttlMs = key === undefined ? happening.ttlMs : KEYED_TTL_MS;
    const input = { holder, ttlMs, idempotencyKey, terms };
    const reply = desk.acquire(spec, input, nowMs - aheadMs, NO_ECHO);
    checker.acquired(reply, input, { nowMs, aheadMs });
    return;
  }
  if (happening.kind === "revoke") {
    const worker = 2 ** spec.workerBits / 2 + happening.worker;
    const last = checker.lastOf(worker);
    const reply = desk.release(spec, { worker, token: null, untilTick: 0 });
    if (last) checker.released(last, reply, undefined);
    else if (reply.ok) throw new Error(`E3 there is no lease of worker ID ${worker}`);
    return;
  }
  const tenure = checker.tenures.at(-1 - happening.pick);
  if (!tenure) return;
  const { worker, token } = tenure;
  if (happening.kind === "stamp") {
    // A holder that is paused or cut off still uses its lease, lost or not; after a release it makes no more IDs.
    const most = tenure.from + Math.floor((tenure.until - tenure.from) * happening.part);
    if (tenure.over !== "released") tenure.stamped = Math.max(tenure.stamped, most);
    return;
  }
  if (happening.kind === "renew") {
    const { ttlMs, terms, aheadMs } = happening;
    const input = { worker, token, ttlMs, terms };
    const reply = desk.renew(spec, input, nowMs - aheadMs, NO_ECHO);
    checker.renewed(tenure, reply, input, { nowMs, aheadMs });
    return;
  }
  const untilTick = happening.until === undefined ? undefined : tenure.stamped + happening.until;
  checker.released(tenure, desk.release(spec, { worker, token, untilTick }), untilTick);
}
