// @module-tag long
/** A Worker bound to Edgeflake on a developer's machine: two `wrangler dev` processes that find each other. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const WRANGLER = path.join(ROOT, "node_modules/wrangler/bin/wrangler.js");
const CLIENT = path.join(ROOT, "dist/client/edgeflake.js");

/** Answers with the error of a method that throws, and with the client's results. */
const APP = `
import { Edgeflake } from "edgeflake/client";
const facts = (error) => ({ ...error, message: error.message });
export default {
  async fetch(request, env) {
    const namespace = new URL(request.url).pathname.slice(1);
    const client = new Edgeflake({ binding: env.IDS, namespace });
    return Response.json({
      method: await env.IDS.nextId(namespace).catch(facts),
      client: await client.next().catch(facts),
    });
  },
};`;

const CONFIG = `
name = "app"
main = "app.js"
compatibility_date = "2026-10-01"
[alias]
"edgeflake/client" = ${JSON.stringify(CLIENT)}
[[services]]
binding = "IDS"
service = "edgeflake"
entrypoint = "Edgeflake"
`;

const folder = mkdtempSync(path.join(tmpdir(), "edgeflake-dev-"));
const running: ChildProcess[] = [];
let appUrl = "";

/** `wrangler dev` on a free port, in a process group of its own; its URL once it listens. */
async function dev(cwd: string, ...args: string[]): Promise<string> {
  const always = ["dev", "--ip", "127.0.0.1", "--port", "0", "--inspector-port", "0"];
  const child = spawn(process.execPath, [WRANGLER, ...always, ...args], {
    cwd,
    detached: true,
    env: { ...process.env, CI: "1", WRANGLER_REGISTRY_PATH: path.join(folder, "registry") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.push(child);
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const url = /Ready on (http:\S+)/.exec(line)?.[1];
    if (!url) continue;
    child.stdout.resume();
    return url;
  }
  throw new Error("wrangler dev ended before it was ready");
}

async function ask(namespace: string) {
  const response = await fetch(`${appUrl}/${namespace}`);
  return (await response.json()) as { method: unknown; client: unknown };
}

beforeAll(async () => {
  writeFileSync(path.join(folder, "app.js"), APP);
  writeFileSync(path.join(folder, "wrangler.toml"), CONFIG);
  await dev(ROOT, "--var", "ACCESS:open", "--persist-to", path.join(folder, "state"));
  appUrl = await dev(folder);
}, 120_000);

afterAll(async () => {
  for (const child of running) {
    const ended = once(child, "close");
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

it("the client gets IDs, and complete problems", async () => {
  // Each reads of the other's start from a folder, now and then.
  await expect
    .poll(() => ask("default"), { timeout: 60_000 })
    .toEqual({
      method: expect.stringMatching(/^\d+$/),
      client: expect.stringMatching(/^\d+$/),
    });
  const { client } = await ask("nope");
  expect(client).toMatchObject({ code: "unknown_namespace", status: 404, definite: true });
});

it("the error of a method keeps only its message there", async () => {
  const { method } = await ask("nope");
  expect(method).toMatchObject({
    message: expect.stringMatching(/^No namespace has this name/),
  });
  expect(method).not.toHaveProperty("code");
});
