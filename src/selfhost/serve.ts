/** `npm run serve`: the production build under plain workerd, data on disk, environment passed through. */
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

/** workerd takes any free descriptor; 0 to 2 are the standard streams. */
const CONTROL_FD = 3;
const projectFolder = fileURLToPath(new URL("../..", import.meta.url));

/** How long open requests may go on after a signal, in ms. */
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

/** The runtime's binary itself: its script in .bin may be a wrapper that signals do not get through. */
function workerdBinary(): string {
  const workerdPackage: unknown = createRequire(import.meta.url)("workerd");
  return v.parse(v.object({ default: v.string() }), workerdPackage).default;
}

/** Who is served, by the Worker's own rule. */
function accessState(): string {
  const { ACCESS, ADMIN_KEY } = process.env;
  if (ACCESS === "open") return "open to everybody";
  if (!ADMIN_KEY) return "closed (set ADMIN_KEY, or ACCESS=open)";
  return isAdminKey(ADMIN_KEY) ? "open to API keys" : `closed (${ADMIN_KEY_RULE})`;
}

/** workerd's reports on its control descriptor, one JSON object a line. */
const ListenEvent = v.object({ event: v.literal("listen"), port: v.number() });

const { host, port, dataFolder } = optionsOrStop();
const dataPath = path.resolve(dataFolder);
// The data is for the owner alone: what this process and workerd make. A folder that is there stays as it is.
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

// Without this, workerd would outlive a wrapper that is told to stop. An open connection would keep it
// for ever: a second signal, or the end of the grace, kills it. What it has answered is on disk.
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
