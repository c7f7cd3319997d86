/**
 * The lines that Get gives to copy do what they say: run in a shell and in Node, without a browser. Needs
 * `npm run build` before.
 * @module-tag long
 */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { linesOf } from "../../src/console/code-lines.ts";
import { decode, type Encoding } from "../../src/core/codec.ts";
import { decompose } from "../../src/core/layout/id.ts";
import { presetOf } from "../core/vectors.ts";
import { ADMIN_KEY, TestService } from "./service.ts";

const run = promisify(execFile);

/** Longer than a shell, or a Node with the client, takes. */
const RUN_MAX_MS = 20_000;

/** Runs the curl line as it is; the key comes from the environment. */
async function shell(line: string): Promise<(string | number)[]> {
  const options = { env: { PATH: process.env.PATH, KEY: ADMIN_KEY }, timeout: RUN_MAX_MS };
  const local = line.replace("curl", "curl -s --noproxy '*'");
  const { stdout } = await run("bash", ["-c", local], options);
  return JSON.parse(stdout).ids;
}

/** Runs the client's lines in a Node of their own, with the client that was built. */
async function client(lines: string): Promise<string[]> {
  const built = path.join(import.meta.dirname, "../../dist/client/edgeflake.js");
  const program = lines
    .replace('"edgeflake/client"', JSON.stringify(built))
    .replace("await ids", "const got = await ids");
  const script = `${program}\nconsole.log(JSON.stringify([got].flat()));`;
  const options = { env: { KEY: ADMIN_KEY }, timeout: RUN_MAX_MS };
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], options);
  return JSON.parse(stdout);
}

const KEY_TEXT = `o'Brien "17" & $HOME \`id\` \\ ü💡`;

const services = { open: TestService.ofFile("open"), keys: TestService.ofFile("keys") };

describe("the shown code gets the same kind of IDs", () => {
  it.each([
    ["open", "default", "1", "decimal", ""],
    ["keys", "default", "1", "decimal", ""],
    ["keys", "twitter", "3", "base58", KEY_TEXT],
    ["open", "js53", "3", "number", ""],
    ["keys", "segment", "2", "hex", ""],
  ] as const)("with ACCESS=%s, %s, %s as %s", async (access, name, count, encoding, key) => {
    const options = { name, count, encoding, key };
    const lines = Object.fromEntries(linesOf(options, services[access].url, access === "keys"));
    const ids = await shell(lines.curl ?? "");
    const type = encoding === "number" ? "number" : "string";
    expect(ids.every((id) => typeof id === type)).toBe(true);
    const told = await client(lines.client ?? "");
    const read = (text: string, as: Encoding): bigint => decode(text, as) ?? -1n;
    const inTurn = [
      ...ids.map((id) => read(`${id}`, encoding === "number" ? "decimal" : encoding)),
      ...told.map((text) => read(text, "decimal")),
    ];
    expect(inTurn.length).toBe(2 * Number(count));
    expect(inTurn.every((id) => id >= 0n)).toBe(true);
    expect(new Set(inTurn).size).toBe(inTurn.length);
    if (key === "") return;
    // One key: one shard, and its IDs increase from line to line.
    const { layout } = presetOf(name);
    expect(new Set(inTurn.map((id) => decompose(layout, id)?.shard)).size).toBe(1);
    expect(inTurn).toEqual(inTurn.toSorted((a, b) => (a < b ? -1 : 1)));
  });
});
