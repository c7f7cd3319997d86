/**
 * `npm run simulate`: one world, of a seed or a fresh one, or worlds for so many minutes. Prints a line a world; ends
 * with 1 at the first promise that is broken, with the command that breaks it again, and with 2 at a bad option.
 */
import { parseArgs } from "node:util";
import { bundleProduct } from "./bundle.ts";
import { runServiceWorld, type ServiceReport } from "./service-world.ts";

const EVENTS_DEFAULT = "1000000";
const SEED_MAX = 2 ** 31 - 1;
const TEXT = { type: "string" } as const;
const BROKEN = 1;
const BAD_USAGE = 2;
const USAGE = `usage: npm run simulate -- [--seed N] [--minutes M] [--events N]

  --seed     0 to 2147483647: that world, and from there on; else a fresh one. Clocks of even ones are true
  --minutes  0 to 10000, default 0: how long worlds follow one another
  --events   1000 to 100000000, default ${EVENTS_DEFAULT}: what happens at least before a world comes to its end
`;

interface Options {
  readonly seed: number | undefined;
  readonly minutes: number;
  readonly events: number;
}

/** The options, or their error; undefined if only the usage is requested. */
function readOptions(): Options | string | undefined {
  const options = { seed: TEXT, minutes: TEXT, events: TEXT, help: { type: "boolean" } } as const;
  let values: { seed?: string; minutes?: string; events?: string; help?: boolean };
  try {
    ({ values } = parseArgs({ options }));
  } catch (error) {
    return error instanceof Error ? error.message : `${error}`;
  }
  if (values.help) return undefined;
  const { seed, minutes = "0", events = EVENTS_DEFAULT } = values;
  if (seed !== undefined && !isWithin(seed, 0, SEED_MAX)) return `--seed takes 0 to ${SEED_MAX}`;
  if (!isWithin(events, 1000, 1e8)) return "--events takes 1000 to 100000000";
  if (!/^\d+(\.\d+)?$/.test(minutes) || Number(minutes) > 10_000) {
    return "--minutes takes 0 to 10000";
  }
  return {
    seed: seed === undefined ? undefined : Number(seed),
    minutes: Number(minutes),
    events: Number(events),
  };
}

function isWithin(text: string, least: number, most: number): boolean {
  return /^\d{1,12}$/.test(text) && Number(text) >= least && Number(text) <= most;
}

function print(report: ServiceReport, tookMs: number): void {
  const { seed, events, worldMs, acknowledged, minted, grants, asked, mishaps } = report;
  const facts = [
    `seed ${seed}: held`,
    `${events} events in ${(tookMs / 1000).toFixed(1)} s`,
    `${(worldMs / 60_000).toFixed(1)} simulated min`,
    `${acknowledged} IDs acknowledged`,
    `${minted} minted`,
    `${grants} grants`,
    `${asked.requests} requests`,
    `mishaps ${Object.values(mishaps).reduce((sum, times) => sum + times, 0)}`,
  ];
  process.stdout.write(`${facts.join(", ")}\n`);
}

/** False: a world broke a promise. */
async function simulate({ seed, minutes, events }: Options): Promise<boolean> {
  const evaluate = await bundleProduct();
  const untilMs = performance.now() + minutes * 60_000;
  let next = seed ?? Math.floor(Math.random() * (SEED_MAX + 1));
  do {
    const beganMs = performance.now();
    try {
      print(await runServiceWorld(next, evaluate, events), performance.now() - beganMs);
    } catch (error) {
      const again = `npm run simulate -- --seed ${next} --events ${events}`;
      process.stderr.write(
        `${error instanceof Error ? error.message : error}\n  again: ${again}\n`,
      );
      return false;
    }
    // A soak counts up from its seed, so that it can be repeated whole.
    next = (next + 1) % (SEED_MAX + 1);
  } while (performance.now() < untilMs);
  return true;
}

const options = readOptions();
if (options === undefined) process.stdout.write(USAGE);
else if (typeof options === "string") {
  process.stderr.write(`${options}\n\n${USAGE}`);
  process.exitCode = BAD_USAGE;
} else if (!(await simulate(options))) process.exitCode = BROKEN;
