/**
 * A process that mints, for tests to start and to kill: `node minting-program.ts OPTIONS COMMAND…`, OPTIONS being JSON
 * of MinterOptions with the path of a store file as `file`. Says `worker N`, then what each command brings, a line each:
 *   take N   IDs, one a line, and flushes them before the next command
 *   loop     IDs for ever, a few at a time; `error CODE` after a failure
 *   close    closes the minter
 *   hold     stays alive without a minter's help, until killed
 */
import { writeSync } from "node:fs";
import { Minter, type MinterOptions } from "edgeflake/minter";
import { fileStore } from "edgeflake/minter/file";

const PAUSE_MS = 5;

type Options = MinterOptions & { readonly file?: string };

const [given = "{}", ...commands] = process.argv.slice(2);
const { file, ...options }: Options = JSON.parse(given);

process.on("unhandledRejection", (error) => {
  say(`unhandled ${error}`);
  process.exit(3);
});

/** Out of the process at once: a kill right after takes nothing back. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? `${error.code}` : `${error}`;
}

async function loop(minter: Minter): Promise<never> {
  for (;;) {
    try {
      say(minter.next());
      for (const id of minter.take(3)) say(id);
    } catch (error) {
      say(`error ${codeOf(error)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function run(): Promise<void> {
  const minter = await Minter.open({ ...options, ...(file && { store: fileStore(file) }) });
  say(`worker ${minter.worker}`);
  for (const command of commands) {
    const [name, count] = command.split(" ");
    if (name === "loop") await loop(minter);
    if (name === "close") await minter.close();
    if (name === "hold") setInterval(() => undefined, 60_000);
    if (name !== "take") continue;
    await minter.ready();
    for (let left = Number(count); left > 0; left -= 1) say(minter.next());
  }
}

try {
  await run();
} catch (error) {
  say(`failed ${codeOf(error)}`);
}
