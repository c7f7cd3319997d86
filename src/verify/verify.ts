/** `edgeflake verify`: makes a history of a deployment and checks it. */
import { Checker } from "./checker.ts";
import { DIALECTS } from "./dialects.ts";
import { HttpSender } from "./http-sender.ts";
import { findLayout, IdFields, type KnownLayout, type TimeBounds } from "./known-layout.ts";
import { ANSWER_BYTES_BASE, ANSWER_BYTES_PER_ID, INTERRUPT_GRACE_MS, KEYS } from "./limits.ts";
import { Load } from "./load.ts";
import { parseVerifyOptions, VERIFY_USAGE, type VerifyOptions } from "./options.ts";
import { type ProgressOutput, showProgress } from "./progress.ts";
import {
  EXIT_BAD_USAGE,
  EXIT_HELD,
  exitStatusOf,
  makeReport,
  type VerifyReport,
} from "./report.ts";
import { reportText } from "./report-text.ts";

const KEY_NAMES = Array.from({ length: KEYS }, (_, index) => `verify-${index}`);

/** The order of the requests' sources: 0 is a plain request, the others one with each key. */
const TURNS = {
  plain: [0],
  keys: KEY_NAMES.map((_, index) => index + 1),
  both: KEY_NAMES.flatMap((_, index) => [0, index + 1]),
};

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
  const { json } = parsed.options;
  shell.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report));
  return exitStatusOf(report);
}

async function run(options: VerifyOptions, shell: Shell): Promise<VerifyReport> {
  const { url, rate, seconds, count, mix } = options;
  const answerBytesMax = ANSWER_BYTES_BASE + count * ANSWER_BYTES_PER_ID;
  const sender = new HttpSender(url, { ...options, answerBytesMax });
  const dialect = DIALECTS[options.dialect];
  const stopping = new AbortController();
  const stop = stopping.signal;
  const release = shell.onInterrupt(() => {
    // A second signal abandons open requests at once.
    if (stop.aborted) sender.abandon("interrupted");
    stopping.abort();
    setTimeout(() => sender.abandon("interrupted"), INTERRUPT_GRACE_MS).unref();
  });
  try {
    const layout = await findLayout(options, sender);
    const sources = [undefined, ...(mix === "plain" ? [] : KEY_NAMES)];
    const checker = new Checker({
      requestsMax: rate * seconds,
      count,
      sources,
      strict: options.order === "strict",
      shard: options.shard,
      fields: layout.layout && new IdFields(layout.layout),
      times: boundsOf(options, layout),
    });
    const requests = sources.map((key) => dialect.request(options, key));
    const plan = { ...options, requests, turns: TURNS[mix] };
    const endProgress = showProgress(shell.stderr, checker);
    const load = new Load(plan, { checker, sender, dialect, stop });
    const sendingMs = await load.run().finally(endProgress);
    if (checker.times.off().count > 0) {
      // The policy may have changed during the run.
      const times = boundsOf(options, await findLayout(options, sender));
      if (times) checker.times.widen(times);
    }
    return makeReport(options, checker, { layout, sendingMs, interrupted: stop.aborted });
  } finally {
    release();
    sender.close();
  }
}

function boundsOf({ skewMs }: VerifyOptions, known: KnownLayout): TimeBounds | undefined {
  if (!known.layout || skewMs === undefined) return known.times;
  return { behindMaxMs: skewMs, aheadMaxMs: skewMs };
}
