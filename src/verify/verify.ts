/** `edgeflake verify`: makes a history of a deployment and checks it. */
import { Checker } from "./checker.ts";
import { DIALECTS } from "./dialects.ts";
import { HttpSender } from "./http-sender.ts";
import { findLayout, IdFields, type KnownLayout, type TimeBounds } from "./known-layout.ts";
import { ANSWER_BYTES_BASE, ANSWER_BYTES_PER_ID, INTERRUPT_GRACE_MS, KEYS } from "./limits.ts";
import { Load } from "./load.ts";
import { parseVerifyOptions, VERIFY_USAGE, type VerifyOptions } from "./options.ts";
import { showProgress } from "./progress.ts";
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

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Runs the command with the arguments after `verify`. Resolves to its exit status, as VERIFY_USAGE lists them. */
export async function verify(args: readonly string[]): Promise<number> {
  const parsed = parseVerifyOptions(args, process.env.EDGEFLAKE_KEY);
  if (parsed.kind === "help") {
    process.stdout.write(VERIFY_USAGE);
    return EXIT_HELD;
  }
  if (parsed.kind === "bad") {
    process.stderr.write(`${parsed.problems.join("\n")}\n\n${VERIFY_USAGE}`);
    return EXIT_BAD_USAGE;
  }
  const report = await run(parsed.options);
  const { json } = parsed.options;
  process.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report));
  return exitStatusOf(report);
}

async function run(options: VerifyOptions): Promise<VerifyReport> {
  const { url, rate, seconds, count, mix } = options;
  const answerBytesMax = ANSWER_BYTES_BASE + count * ANSWER_BYTES_PER_ID;
  const sender = new HttpSender(url, { ...options, answerBytesMax });
  const dialect = DIALECTS[options.dialect];
  const stopping = new AbortController();
  const stop = stopping.signal;
  const interrupt = (): void => {
    // A second signal abandons open requests at once.
    if (stop.aborted) sender.abandon("interrupted");
    stopping.abort();
    setTimeout(() => sender.abandon("interrupted"), INTERRUPT_GRACE_MS).unref();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
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
    const endProgress = showProgress(checker);
    const load = new Load(plan, { checker, sender, dialect, stop });
    const sendingMs = await load.run().finally(endProgress);
    if (checker.times.off().count > 0) {
      // The policy may have changed during the run.
      const times = boundsOf(options, await findLayout(options, sender));
      if (times) checker.times.widen(times);
    }
    return makeReport(options, checker, { layout, sendingMs, interrupted: stop.aborted });
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
    sender.close();
  }
}

function boundsOf({ skewMs }: VerifyOptions, known: KnownLayout): TimeBounds | undefined {
  if (!known.layout || skewMs === undefined) return known.times;
  return { behindMaxMs: skewMs, aheadMaxMs: skewMs };
}
