/** What the bench is to show. */
const TARGET_TABLE = [
  {
    id: "freshToJson",
    name: "single, fresh ÷ Hono JSON constant",
    sense: "atLeast",
    target: 0.92,
    stretch: 1,
  },
  {
    id: "freshWithKeyToJson",
    name: "single, fresh, key auth ÷ Hono JSON constant",
    sense: "atLeast",
    target: 0.88,
    stretch: 0.97,
  },
  {
    id: "strictToNoop",
    name: "single, strict ÷ Hono → no-op RPC",
    sense: "atLeast",
    target: 0.92,
    stretch: 1,
  },
  {
    id: "strictToRowPerId",
    name: "single, strict ÷ row-per-ID Durable Object",
    sense: "atLeast",
    target: 2.5,
    stretch: 3,
  },
  {
    id: "batchToConstant",
    name: "batch 10,000 JSON ÷ no-op RPC, constant 10,000",
    sense: "atLeast",
    target: 0.75,
    stretch: 0.9,
  },
  {
    id: "leasedToServed",
    name: "leased ÷ served IDs, fresh",
    sense: "atMost",
    target: 1.3,
    stretch: 1.1,
  },
  {
    id: "streamMegabytes",
    name: "text stream 1,000,000: peak memory above idle, MB",
    sense: "atMost",
    target: 64,
    stretch: 16,
  },
  {
    id: "rowsPerMillionStrict",
    name: "rows written per 1,000,000 strict",
    sense: "atMost",
    target: 300,
    stretch: 150,
  },
  {
    id: "callsPerMillionFresh",
    name: "Durable Object calls per 1,000,000 fresh",
    sense: "atMost",
    target: 600,
    stretch: 250,
  },
  {
    id: "codecToBigInt",
    name: "codec, JSON of 4096 IDs ÷ BigInt.toString + JSON.stringify (speed)",
    sense: "atLeast",
    target: 20,
    stretch: 50,
  },
  {
    id: "clientToDateNow",
    // It reads the clock once per ID, so that none is older than promised.
    name: "client nextNow() from its buffer ÷ Date.now() (time)",
    sense: "atMost",
    target: 2,
    stretch: 1.4,
  },
  {
    id: "minterToGenerators",
    name: "minter next(), decimal, to the fastest npm Snowflake that repeats none (speed)",
    sense: "atLeast",
    target: 3,
    stretch: 4,
  },
  {
    id: "minterTakeToGenerators",
    name: "minter take(4096), decimal, to the same (speed)",
    sense: "atLeast",
    target: 15,
    stretch: 20,
  },
  {
    id: "bundleKilobytes",
    name: "Worker bundle, minified and gzipped, kB",
    sense: "atMost",
    target: 60,
    stretch: 40,
  },
] as const;

export type TargetId = (typeof TARGET_TABLE)[number]["id"];

interface Target {
  readonly id: TargetId;
  readonly name: string;
  readonly sense: "atLeast" | "atMost";
  readonly target: number;
  readonly stretch: number;
}
const TARGETS: readonly Target[] = TARGET_TABLE;

/** What was measured; what is missing was not. */
export type TargetValues = { readonly [id in TargetId]?: number | undefined };

export interface TargetResult extends Target {
  readonly value: number | undefined;
  readonly outcome: "not met" | "met" | "stretch met" | "not measured";
}

export function judge(values: TargetValues): TargetResult[] {
  return TARGETS.map((target) => {
    const value = values[target.id];
    return { ...target, value, outcome: outcomeOf(target, value) };
  });
}

function outcomeOf(
  { sense, target, stretch }: Target,
  value: number | undefined,
): TargetResult["outcome"] {
  if (value === undefined || Number.isNaN(value)) return "not measured";
  const reaches = (bound: number) => (sense === "atLeast" ? value >= bound : value <= bound);
  if (reaches(stretch)) return "stretch met";
  return reaches(target) ? "met" : "not met";
}
