#!/usr/bin/env node
/** The command `edgeflake`: runs a subcommand. */
import { readFileSync } from "node:fs";
import { verify } from "../verify/verify.ts";

const USAGE = `usage: edgeflake COMMAND [options]

  verify      requests IDs from a deployment and checks its promises

edgeflake COMMAND --help    shows the options of a command
edgeflake --version         prints the version
`;

const BAD_USAGE = 2;
/** A bug of this command, or a failed write of its output; no verdict on the deployment (EX_SOFTWARE of sysexits.h). */
const FAILED_INSIDE = 70;

const { stdout, stderr } = process;
/** The first failed write: the reader closed the pipe, or the disk is full. */
let failure: NodeJS.ErrnoException | undefined;
// Without a listener, a failed write would end the process in the middle of a run.
stdout.on("error", (error) => {
  failure ??= error;
});
stderr.on("error", () => {});

/** The version in package.json, which is two folders up from both the source and the build. */
function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const read: unknown = JSON.parse(text);
  const has = typeof read === "object" && read !== null && "version" in read;
  return has ? `${read.version}` : "unknown";
}

async function main([command = "", ...rest]: readonly string[]): Promise<number> {
  switch (command) {
    case "verify":
      return await verify(rest);
    case "--help":
    case "-h":
      stdout.write(USAGE);
      return 0;
    case "--version":
      stdout.write(`${version()}\n`);
      return 0;
    default:
      stderr.write(command === "" ? USAGE : `unknown command: ${command}\n\n${USAGE}`);
      return BAD_USAGE;
  }
}

try {
  const status = await main(process.argv.slice(2));
  // Waits until all is written. A failure is reported a little after the write.
  await new Promise((resolve) => stdout.write("", () => setImmediate(resolve)));
  // A reader that closed its pipe needs no message.
  if (failure && failure.code !== "EPIPE") {
    stderr.write(`cannot write to standard output: ${failure.message}\n`);
  }
  process.exitCode = failure ? FAILED_INSIDE : status;
} catch (error) {
  stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = FAILED_INSIDE;
}
