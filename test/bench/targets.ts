/** The targets of the bench. */
import { ROWS, type RowId } from "./http-rows.ts";

/** `speed`: requests per CPU second. `rate`: requests per second, of rows that wait for the disk. `cost`: CPU time per request. */
export type RatioOf = "speed" | "rate" | "cost";
type Ratio = (row: RowId, to: RowId, of: RatioOf) => number | undefined;

/** Figures other than ratios of two HTTP rows. */
type ValueName =
  | "prefetchedPerServed"
  | "callsPerMillionFresh"
  | "rowsPerMillionStrict"
  | "streamMegabytes"
  | "codecToBigInt"
  | "clientToDateNow"
  | "minterToGenerators"
  | "minterTakeToGenerators"
  | "bundleKilobytes";
export type TargetValues = Readonly<Record<ValueName, number | undefined>>;

interface Target {
  readonly name: string;
  readonly sense: "≥" | "≤";
  readonly target: number;
  readonly stretch: number;
  readonly read: (ratio: Ratio, values: TargetValues) => number | undefined;
}

function ratio(row: RowId, of: RatioOf, to: RowId, target: number, stretch: number): Target {
  const name = `${ROWS[row].name} ÷ ${ROWS[to].name} (${of})`;
  const sense = of === "cost" ? "≤" : "≥";
  return { name, sense, target, stretch, read: (ratioOf) => ratioOf(row, to, of) };
}

function value(
  name: string,
  id: ValueName,
  sense: Target["sense"],
  target: number,
  stretch: number,
): Target {
  return { name, sense, target, stretch, read: (_, values) => values[id] };
}

const TARGETS: readonly Target[] = [
  ratio("fresh", "speed", "json", 0.9, 0.97),
  ratio("freshWithKey", "speed", "json", 0.87, 0.97),
  ratio("strict", "speed", "noop", 0.85, 0.92),
  ratio("strict", "rate", "rowPerId", 2.5, 3),
  ratio("batch10000", "speed", "constantBatch", 0.85, 0.9),
  ratio("shards1024", "cost", "shards1", 1.2, 1.05),
  ratio("namespaces1000", "cost", "shards1", 1.2, 1.05),
  ratio("pinned1024", "cost", "pinned1", 1.2, 1.05),
  ratio("turn1000", "cost", "shards1", 1.2, 1.05),
  value("prefetched ÷ served IDs, fresh", "prefetchedPerServed", "≤", 1.3, 1.1),
  value("Durable Object calls per 1,000,000 fresh", "callsPerMillionFresh", "≤", 600, 250),
  value("rows written per 1,000,000 strict", "rowsPerMillionStrict", "≤", 300, 150),
  value("text stream 1,000,000: peak memory above idle, MB", "streamMegabytes", "≤", 64, 16),
  value(
    "codec, JSON of 4096 IDs ÷ BigInt and JSON.stringify (speed)",
    "codecToBigInt",
    "≥",
    20,
    50,
  ),
  value("client nextNow() ÷ Date.now() (time)", "clientToDateNow", "≤", 2, 1.4),
  value("minter next() ÷ fastest Snowflake without repeats", "minterToGenerators", "≥", 3, 4),
  value("minter take(4096) ÷ the same", "minterTakeToGenerators", "≥", 15, 20),
  value("Worker bundle, minified and gzipped, kB", "bundleKilobytes", "≤", 60, 40),
];

export function judge(ratioOf: Ratio, values: TargetValues) {
  return TARGETS.map(({ name, sense, target, stretch, read }) => {
    const value = read(ratioOf, values);
    const reaches = (bound: number) =>
      value !== undefined && (sense === "≥" ? value >= bound : value <= bound);
    const met = reaches(target) ? "met" : value === undefined ? "not measured" : "not met";
    const outcome = reaches(stretch) ? "stretch met" : met;
    return { name, value, target: `${sense} ${target}`, stretch, outcome };
  });
}
