/**
 * `npm run test:repeat -- --times 20`: runs a test command again and again, prints what failed in each run, with its
 * seed, and at the end how many runs failed. The whole output of a failed run is kept in dist/repeat.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

const TIMES_MAX = 10_000;
const BAD_USAGE = 2;
const KEPT = path.join(import.meta.dirname, "../dist/repeat");
/** Lines of a failed run that say which test failed, why, and with which seed. */
const TELLING = /FAIL|Error:|seed|passed, \d+ failed$/i;
const USAGE = `usage: npm run test:repeat -- [--times N] [--command "npm run test:all"] [--busy]

  --times    1 to ${TIMES_MAX}, default 20
  --command  default: npm test
  --busy     keeps one core busy during every second run
`;

interface Options {
  readonly times: number;
  readonly command: string;
  readonly busy: boolean;
}

/** Undefined: the options are wrong. */
function readOptions(): Options | undefined {
  const options = {
    times: { type: "string", default: "20" },
    command: { type: "string", default: "npm test" },
    busy: { type: "boolean", default: false },
  } as const;
  try {
    const { values } = parseArgs({ options });
    const times = Number(values.times);
    const isTimes = Number.isInteger(times) && times >= 1 && times <= TIMES_MAX;
    return isTimes ? { ...values, times } : undefined;
  } catch {
    return undefined;
  }
}

/** Runs the command once. */
async function run(
  command: string,
): Promise<{ readonly passed: boolean; readonly output: string }> {
  const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, "close");
  return { passed: code === 0, output };
}

/** Keeps one core busy until it is disposed of. */
function busyCore(): Disposable {
  const child = spawn(process.execPath, ["-e", "for (;;) {}"], { stdio: "ignore" });
  const end = (): void => void child.kill("SIGKILL");
  process.once("exit", end);
  return {
    [Symbol.dispose]: () => {
      process.removeListener("exit", end);
      end();
    },
  };
}

async function repeat({ times, command, busy }: Options): Promise<number> {
  let failures = 0;
  for (let number = 1; number <= times; number += 1) {
    const isBusy = busy && number % 2 === 0;
    using _ = isBusy ? busyCore() : undefined;
    const beganMs = performance.now();
    const { passed, output } = await run(command);
    const tookS = Math.round((performance.now() - beganMs) / 1000);
    const how = `${passed ? "passed" : "FAILED"} in ${tookS} s${isBusy ? ", one core busy" : ""}`;
    const closing = output.trimEnd().split("\n").at(-1);
    process.stdout.write(`run ${number} of ${times}: ${how}; ${closing}\n`);
    if (passed) continue;
    failures += 1;
    const file = path.join(KEPT, `run-${number}.log`);
    mkdirSync(KEPT, { recursive: true });
    writeFileSync(file, output);
    const telling = output.split("\n").filter((line) => TELLING.test(line));
    process.stdout.write(`${telling.map((line) => `  ${line}\n`).join("")}  all of it: ${file}\n`);
  }
  process.stdout.write(`${times} runs of ${command}: ${failures} failed\n`);
  return failures;
}

const options = readOptions();
if (!options) {
  process.stderr.write(USAGE);
  process.exitCode = BAD_USAGE;
} else {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
  if ((await repeat(options)) > 0) process.exitCode = 1;
}
