import { parseArgs } from "node:util";
import * as v from "valibot";

export const BENCH_USAGE = `usage: node test/bench/bench.ts [--quick] [--json] [--rounds N] [--generators N]
  --quick         under a minute instead of about seven
  --json          one JSON object on standard output, and nothing else
  --rounds N      1 to 100 rounds of all HTTP rows
  --generators N  1 to 8 load generators that share the connections, default 1`;

export interface BenchOptions {
  readonly quick: boolean;
  readonly json: boolean;
  readonly help: boolean;
  /** Unless given, what the form takes. */
  readonly rounds: number | undefined;
  readonly generators: number;
}

function wholeText(min: number, max: number, takes: string) {
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,3}$/, takes),
    v.transform(Number),
    v.minValue(min, takes),
    v.maxValue(max, takes),
  );
}

const Values = v.object({
  quick: v.optional(v.boolean(), false),
  json: v.optional(v.boolean(), false),
  help: v.optional(v.boolean(), false),
  rounds: v.optional(wholeText(1, 100, "--rounds takes 1 to 100")),
  generators: v.optional(wholeText(1, 8, "--generators takes 1 to 8"), "1"),
});

/** Throws where they are not as the usage says. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
      rounds: { type: "string" },
      generators: { type: "string" },
    },
  });
  const { rounds, ...rest } = v.parse(Values, values);
  return { ...rest, rounds };
}
