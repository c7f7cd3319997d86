/** `npm run serve`: the production build under plain workerd, data on disk, environment passed through. */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { parseServeOptions, SERVE_USAGE, type ServeOptions } from "./options.ts";

const projectFolder = fileURLToPath(new URL("../..", import.meta.url));

function optionsOrExit(): ServeOptions {
  try {
    return parseServeOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${SERVE_USAGE}\n`);
    process.exit(2);
  }
}

/** The runtime's binary itself: its script in .bin may be a wrapper that signals do not get through. */
function workerdBinary(): string {
  const workerdPackage: unknown = createRequire(import.meta.url)("workerd");
  return v.parse(v.object({ default: v.string() }), workerdPackage).default;
}

const { host, port, dataFolder } = optionsOrExit();
const dataPath = path.resolve(dataFolder);
mkdirSync(dataPath, { recursive: true });

const address =
  host.includes(":") && !host.startsWith("[") ? `[${host}]:${port}` : `${host}:${port}`;
const workerd = spawn(
  workerdBinary(),
  [
    "serve",
    path.join(projectFolder, "workerd.capnp"),
    "--socket-addr",
    `http=${address}`,
    "--directory-path",
    `data=${dataPath}`,
  ],
  { stdio: "inherit" },
);
process.stdout.write(
  `Edgeflake on http://${address} (data in ${dataPath}, ACCESS=${process.env.ACCESS ?? ""})\n`,
);

// Without this, workerd would outlive a wrapper that is told to stop.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.on(signal, () => workerd.kill(signal));
}
workerd.on("error", (error) => {
  process.stderr.write(`workerd does not start: ${error.message}\n`);
  process.exit(1);
});
workerd.on("exit", (code, signal) => {
  process.exit(code ?? (signal ? 128 + constants.signals[signal] : 1));
});
