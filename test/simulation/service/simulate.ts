/**
 * `npm run simulate -- [--seed N] [--minutes M]`: one world of that seed, or worlds of fresh seeds for so many minutes.
 * Prints a line a world; ends with 1 at the first promise that is broken, with the seed that breaks it again.
 */
import { parseArgs } from "node:util";
import { bundleProduct } from "./bundle.ts";
import { runServiceWorld, type ServiceReport } from "./service-world.ts";

const EVENTS_DEFAULT = 1_000_000;
const USAGE =
  "usage: npm run simulate -- [--seed 0..2147483647] [--minutes 0.1..10000] [--events 1000..100000000]";

interface Options {
  readonly seed: number | undefined;
  readonly minutes: number;
  readonly events: number;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seed: { type: "string" },
      minutes: { type: "string", default: "0" },
      events: { type: "string", default: `${EVENTS_DEFAULT}` },
    },
  });
  const seed = values.seed === undefined ? undefined : Number(values.seed);
  const minutes = Number(values.minutes);
  const events = Number(values.events);
  const isSeed = seed === undefined || (Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31);
  const isEvents = Number.isInteger(events) && events >= 1000 && events <= 1e8;
  if (!isSeed || !isEvents || !(minutes >= 0 && minutes <= 10_000)) throw new Error(USAGE);
  return { seed, minutes, events };
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

async function simulate({ seed, minutes, events }: Options): Promise<void> {
  const evaluate = await bundleProduct();
  const untilMs = performance.now() + minutes * 60_000;
  let next = seed ?? Math.floor(Math.random() * 2 ** 31);
  do {
    const beganMs = performance.now();
    print(await runServiceWorld(next, evaluate, events), performance.now() - beganMs);
    // A soak goes on from its seed, so that it can be repeated whole.
    next = (next + 1) % 2 ** 31;
  } while (performance.now() < untilMs);
}

try {
  await simulate(readOptions());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
