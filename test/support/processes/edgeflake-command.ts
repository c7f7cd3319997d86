/** The command as people run it: the built file, in a process of its own. Needs `npm run build` before. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import * as v from "valibot";

const COMMAND = fileURLToPath(new URL("../../../dist/cli/edgeflake.js", import.meta.url));

const Whole = v.pipe(v.number(), v.integer(), v.minValue(0));
const Latencies = v.nullable(
  v.record(v.picklist(["p50", "p90", "p99", "p999", "max"]), v.number()),
);
/** The exact promise of `--json`. */
export const Report = v.strictObject({
  ok: v.boolean(),
  interrupted: v.boolean(),
  target: v.strictObject({ url: v.string(), namespace: v.string(), dialect: v.string() }),
  asked: v.strictObject({
    rate: Whole,
    seconds: Whole,
    count: Whole,
    mix: v.string(),
    order: v.string(),
    shard: v.nullable(Whole),
    timeoutMs: Whole,
    connections: Whole,
  }),
  layout: v.strictObject({ fingerprint: v.nullable(v.string()), source: v.string() }),
  requests: v.strictObject({
    due: Whole,
    sent: Whole,
    skipped: Whole,
    acknowledged: Whole,
    definite: Whole,
    indefinite: Whole,
  }),
  ids: v.strictObject({
    acknowledged: Whole,
    distinct: Whole,
    smallest: v.nullable(v.string()),
    largest: v.nullable(v.string()),
  }),
  sendingMs: Whole,
  answeringMs: Whole,
  perSecond: v.strictObject({ sent: v.number(), acknowledged: v.number(), ids: v.number() }),
  latencyMs: v.strictObject({ fromSchedule: Latencies, fromSending: Latencies }),
  times: v.nullable(
    v.strictObject({
      minMs: v.number(),
      medianMs: v.number(),
      maxMs: v.number(),
      behindMaxMs: Whole,
      aheadMaxMs: Whole,
    }),
  ),
  shards: v.array(v.strictObject({ shard: Whole, ids: Whole })),
  failures: v.array(
    v.strictObject({ code: v.string(), definite: Whole, indefinite: Whole, example: v.string() }),
  ),
  checks: v.array(
    v.strictObject({
      name: v.string(),
      verdict: v.picklist(["held", "broken", "not_checked"]),
      broken: Whole,
      about: v.string(),
      examples: v.array(v.string()),
    }),
  ),
});
export type Report = v.InferOutput<typeof Report>;

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts it; EDGEFLAKE_KEY is what is given here, or none. */
export function startCommand(
  args: readonly string[],
  key?: string,
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const { EDGEFLAKE_KEY: _, ...environment } = process.env;
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: { ...environment, ...(key !== undefined && { EDGEFLAKE_KEY: key }) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]).then(
    ([stdout, stderr]) => ({ status: child.exitCode, stdout, stderr }),
  );
  return { child, ended };
}

/** Runs it as a shell would by that line, in which `"$@"` is the command with its arguments. */
export async function runInShell(line: string, args: readonly string[]): Promise<Ended> {
  const { EDGEFLAKE_KEY: _, ...env } = process.env;
  const shellArgs = ["-c", line, "bash", process.execPath, COMMAND, ...args];
  const child = spawn("bash", shellArgs, { env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { status: child.exitCode, stdout, stderr };
}

export function runCommand(args: readonly string[], key?: string): Promise<Ended> {
  return startCommand(args, key).ended;
}

/** Its report: nothing else is on standard output. */
export function reportOf({ stdout }: Ended): Report {
  return v.parse(Report, JSON.parse(stdout));
}

/** The names of the checks with that verdict. */
export function checksOf(
  { checks }: Report,
  verdict: Report["checks"][number]["verdict"],
): string[] {
  return checks.filter((check) => check.verdict === verdict).map(({ name }) => name);
}
