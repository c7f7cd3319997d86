/** `npm run serve`: the production build under plain workerd, with data on disk and the environment passed on. */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { ADMIN_KEY_RULE, isAdminKey } from "../core/api-key.ts";
import { parseServeOptions, SERVE_USAGE, type ServeOptions } from "./options.ts";

/** File descriptor of workerd's control channel; 0 to 2 are the standard streams. */
const CONTROL_FD = 3;
const projectFolder = fileURLToPath(new URL("../..", import.meta.url));

/** Time for open requests to finish after a signal, in ms. */
const STOP_GRACE_MS = 5000;

function stop(message: string): never {
  process.stderr.write(`${message}\n${SERVE_USAGE}\n`);
  process.exit(2);
}

function optionsOrStop(): ServeOptions {
  try {
    return parseServeOptions(process.argv.slice(2));
  } catch (error) {
    return stop(error instanceof Error ? error.message : String(error));
  }
}

/** The path of the runtime's binary: the script in .bin may not forward signals. */
function workerdBinary(): string {
  const workerdPackage: unknown = createRequire(import.meta.url)("workerd");
  return v.parse(v.object({ default: v.string() }), workerdPackage).default;
}

/** Describes the access mode, by the Worker's own rules. */
function accessState(): string {
  const { ACCESS, ADMIN_KEY } = process.env;
  if (ACCESS === "open") return "open to everybody";
  if (!ADMIN_KEY) return "closed (set ADMIN_KEY, or ACCESS=open)";
  return isAdminKey(ADMIN_KEY) ? "open to API keys" : `closed (${ADMIN_KEY_RULE})`;
}

/** A report of workerd on its control channel: one JSON object per line. */
const ListenEvent = v.object({ event: v.literal("listen"), port: v.number() });

const { host, port, dataFolder } = optionsOrStop();
const dataPath = path.resolve(dataFolder);
// New files and folders are readable only by their owner. An existing folder keeps its permissions.
process.umask(0o077);
try {
  mkdirSync(dataPath, { recursive: true });
} catch (error) {
  stop(
    `--data must be a folder that can be created: ${error instanceof Error ? error.message : error}`,
  );
}

const urlHost = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
const workerd = spawn(
  workerdBinary(),
  [
    "serve",
    path.join(projectFolder, "workerd.capnp"),
    "--socket-addr",
    `http=${urlHost}:${port}`,
    "--directory-path",
    `data=${dataPath}`,
    "--directory-path",
    `assets=${path.join(projectFolder, "dist/assets")}`,
    `--control-fd=${CONTROL_FD}`,
  ],
  { stdio: ["inherit", "inherit", "inherit", "pipe"] },
);

let listening = false;
const reports = workerd.stdio[CONTROL_FD];
if (reports instanceof Readable) {
  createInterface({ input: reports }).on("line", (line) => {
    const report = v.safeParse(ListenEvent, JSON.parse(line));
    if (!report.success) return;
    listening = true;
    const url = `http://${urlHost}:${report.output.port}`;
    process.stdout.write(`Edgeflake, ${accessState()}, listens on ${url}\n`);
  });
}

// Forwards signals: workerd would otherwise outlive this process. An open connection could keep workerd running, so a
// second signal or the end of the grace period kills it. All answered requests are on disk by then.
let stopping = false;
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.on(signal, () => {
    workerd.kill(stopping ? "SIGKILL" : signal);
    if (!stopping) setTimeout(() => workerd.kill("SIGKILL"), STOP_GRACE_MS).unref();
    stopping = true;
  });
}
workerd.on("error", (error) => {
  process.stderr.write(`workerd failed to start: ${error.message}\n`);
  process.exit(1);
});
workerd.on("exit", (code, signal) => {
  if (!listening && !stopping) {
    process.stderr.write(
      "The service did not start. Is the port in use (--port 0 picks a free one)? Is the data folder writable?\n",
    );
  }
  process.exit(code ?? (signal ? 128 + constants.signals[signal] : 1));
});
