/** `edgeflake verify`: makes a history of a deployment and checks it. */
import { Checker } from "./checker.ts";
import { DIALECTS } from "./dialects.ts";
import { HttpSender } from "./http-sender.ts";
import { findLayout, IdFields, type KnownLayout, type TimeBounds } from "./known-layout.ts";
import { ANSWER_BYTES_BASE, ANSWER_BYTES_PER_ID, INTERRUPT_GRACE_MS, KEYS } from "./limits.ts";
import { Load } from "./load.ts";
import { makeReport } from "./make-report.ts";
import { parseVerifyOptions, VERIFY_USAGE, type VerifyOptions } from "./options.ts";
import { Progress, type ProgressOutput } from "./output.ts";
import { EXIT_BAD_USAGE, EXIT_HELD, exitStatusOf, type VerifyReport } from "./report.ts";
import { reportText } from "./report-text.ts";

const KEY_NAMES = Array.from({ length: KEYS }, (_, index) => `verify-${index}`);

/** The parts of the process that the command uses. */
export interface Shell {
  readonly environmentKey: string | undefined;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: ProgressOutput;
  /** Calls back at each SIGINT or SIGTERM, until the returned function is called. */
  onInterrupt(call: () => void): () => void;
}

/** Runs the command with the arguments after `verify`. Resolves to its exit status, as VERIFY_USAGE lists them. */
export async function verify(args: readonly string[], shell: Shell): Promise<number> {
  const parsed = parseVerifyOptions(args, shell.environmentKey);
  if (parsed.kind === "help") {
    shell.stdout.write(VERIFY_USAGE);
    return EXIT_HELD;
  }
  if (parsed.kind === "bad") {
    shell.stderr.write(`${parsed.problems.join("\n")}\n\n${VERIFY_USAGE}`);
    return EXIT_BAD_USAGE;
  }
  const report = await run(parsed.options, shell);
  shell.stdout.write(
    parsed.options.json ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report),
  );
  return exitStatusOf(report);
}

async function run(options: VerifyOptions, shell: Shell): Promise<VerifyReport> {
  const { url, rate, seconds, count, connections, timeoutMs, mix } = options;
  const answerBytesMax = ANSWER_BYTES_BASE + count * ANSWER_BYTES_PER_ID;
  const sender = new HttpSender(new URL(url), { connections, timeoutMs, answerBytesMax });
  let interrupted = false;
  let load: Load | undefined;
  const release = shell.onInterrupt(() => {
    // A second signal abandons open requests at once.
    if (interrupted) sender.abandon("interrupted");
    interrupted = true;
    load?.stop();
    setTimeout(() => sender.abandon("interrupted"), INTERRUPT_GRACE_MS).unref();
  });
  try {
    const layout = await findLayout(options, sender);
    const checker = new Checker({
      requestsMax: rate * seconds,
      count,
      sources: [undefined, ...(mix === "plain" ? [] : KEY_NAMES)],
      strict: options.order === "strict",
      shard: options.shard,
      fields: layout.layout && new IdFields(layout.layout),
      times: boundsOf(options, layout),
    });
    const dialect = DIALECTS[options.dialect];
    load = new Load(options, options, turnsOf(mix), { checker, sender, dialect });
    const progress = new Progress(shell.stderr, checker);
    const running = load.run();
    if (interrupted) load.stop();
    const sendingMs = await running.finally(() => progress.end());
    if (checker.times.off().count > 0) {
      // The policy may have changed during the run.
      const times = boundsOf(options, await findLayout(options, sender));
      if (times) checker.times.widen(times);
    }
    return makeReport(options, checker, { layout, sendingMs, interrupted });
  } finally {
    release();
    sender.close();
  }
}

/** The order of the sources: a plain request, one with a key, a plain one, one with the next key … */
function turnsOf(mix: VerifyOptions["mix"]): number[] {
  const keys = KEY_NAMES.map((_, index) => index + 1);
  if (mix === "plain") return [0];
  return mix === "keys" ? keys : keys.flatMap((key) => [0, key]);
}

function boundsOf(
  { skewMs }: VerifyOptions,
  { layout, times }: KnownLayout,
): TimeBounds | undefined {
  if (!layout || skewMs === undefined) return times;
  return { behindMaxMs: skewMs, aheadMaxMs: skewMs };
}
