/**
 * A process that puts into a file store, for tests to set against another one or to kill:
 *   race FILE NAME          replaces each round by the next until killed; prints the rounds that it won
 *   fill FILE LENGTH        puts texts of that many equal letters until killed; says each one's letter
 */
import { writeSync } from "node:fs";
import { fileStore } from "edgeflake/minter/file";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

const [what = "", file = "", ...rest] = process.argv.slice(2);
const store = fileStore(file);

async function race(name: string): Promise<never> {
  for (;;) {
    const found = await store.get();
    const round = Number(found?.split(" ")[0] ?? 0) + 1;
    if (await store.put(`${round} ${name}`, found)) writeSync(1, `${round}\n`);
  }
}

async function fill(length: number): Promise<never> {
  for (let count = 0; ; count += 1) {
    const letter = LETTERS[count % LETTERS.length] ?? "";
    const done = await store.put(letter.repeat(length), await store.get());
    if (!done) throw new Error("nobody else puts here");
    writeSync(1, `${letter}\n`);
  }
}

await (what === "race" ? race(rest[0] ?? "") : fill(Number(rest[0])));
