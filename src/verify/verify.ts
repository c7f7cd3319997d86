/** `edgeflake verify`: a history of a deployment, made and checked. */
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

/** What the command has of its process. */
export interface Shell {
  readonly environmentKey: string | undefined;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: ProgressOutput;
  /** Calls back at each signal to end, until what it returns is called. */
  onInterrupt(call: () => void): () => void;
}

/**
 * Runs the command with the arguments behind `verify`; its exit status: 0 all held, 1 a promise was broken, 2 bad
 * usage, 3 nothing proved since no ID came, 130 interrupted before any.
 */
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
    // A second signal does not wait for anything.
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
      // The policy may have been changed meanwhile.
      const times = boundsOf(options, await findLayout(options, sender));
      if (times) checker.times.widen(times);
    }
    return makeReport(options, checker, { layout, sendingMs, interrupted });
  } finally {
    release();
    sender.close();
  }
}

/** The sources by turns: a plain request, one of a key, a plain one, one of the next key … */
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
