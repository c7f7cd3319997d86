/** `npm run bench`: starts everything from the production build, measures it, and prints the tables. */
import { parseArgs } from "node:util";
import { buildSync } from "esbuild";
import { findingsOf, LONG, QUICK } from "./findings.ts";
import { reportText } from "./report.ts";

const USAGE = `usage: npm run bench -- [--quick] [--json] [--rounds N]
  --quick     about two minutes instead of about ten
  --json      one JSON object on standard output, and nothing else
  --rounds N  rounds of all HTTP rows, 1 to 99`;

function optionsOf(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        rounds: { type: "string", default: "" },
      },
    });
    if (/^([1-9]\d?)?$/.test(values.rounds)) return values;
    throw new Error("--rounds must be an integer from 1 to 99");
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${USAGE}\n`);
    return process.exit(2);
  }
}

const { quick, json, rounds } = optionsOf(process.argv.slice(2));
// Servers end at this process's exit.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => process.exit(1));
}
buildSync({
  entryPoints: ["test/bench/workers/baselines.ts"],
  outdir: "dist/bench",
  bundle: true,
  format: "esm",
  minify: true,
  external: ["cloudflare:workers"],
});
const form = quick ? QUICK : LONG;
const plan = { ...form, http: { ...form.http, rounds: Number(rounds) || form.http.rounds } };
const findings = await findingsOf(plan, (text) => process.stderr.write(`${text}\n`));
process.stdout.write(`${json ? JSON.stringify(findings, undefined, 2) : reportText(findings)}\n`);
