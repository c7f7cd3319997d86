/** The production build as a process: restarts, signals, bodies that break off. Needs `npm run build` before. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, onTestFailed } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { ServiceProcess, serviceOfFile } from "../support/processes/service-process.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const ADMIN_KEY = "the-admin-key-of-this-file";

let dataFolder: string;
let running: ServiceProcess[] = [];

async function start(
  variables: { readonly ACCESS?: string; readonly ADMIN_KEY?: string } = { ACCESS: "open" },
): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(dataFolder, variables);
  running.push(service);
  return service;
}

/** The mode bits of a file for its group and all others. */
function othersMay(file: string): number {
  return statSync(file).mode & 0o077;
}

describe("npm run serve", () => {
  beforeEach(() => {
    dataFolder = path.join(mkdtempSync(path.join(tmpdir(), "edgeflake-")), "made", "by-serve");
  });
  afterEach(async () => {
    for (const service of running) if (service.isRunning()) await service.crash();
    running = [];
    rmSync(path.dirname(path.dirname(dataFolder)), { recursive: true, force: true });
  });

  it("requires keys unless ACCESS is exactly open, except for health", async () => {
    for (const variables of [{}, { ACCESS: "keys" }]) {
      const service = await start(variables);
      const response = await fetch(`${service.url}/v1/ids/default`);
      expect([response.status, await response.json()]).toMatchObject([
        503,
        { code: "not_configured" },
      ]);
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
      await service.stop();
    }
  });

  it.each([
    ["", "closed (set ADMIN_KEY, or ACCESS=open)"],
    ["changeme", "closed (ADMIN_KEY must be at least 24 characters"],
    [ADMIN_KEY, "open to API keys"],
  ])("ADMIN_KEY %j: the service says who has access", async (key, said) => {
    const service = await start({ ADMIN_KEY: key });
    expect(service.greeting).toContain(said);
  });

  it("keeps namespaces and keys through a kill right after the responses", async () => {
    const send = (service: ServiceProcess, path: string, key: string, init: RequestInit = {}) =>
      fetch(service.url + path, {
        ...init,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      });
    const first = await start({ ADMIN_KEY });
    const put = await send(first, "/v1/namespaces/orders", ADMIN_KEY, {
      method: "PUT",
      body: JSON.stringify({ kind: "snowflake" }),
    });
    const made = await send(first, "/v1/keys", ADMIN_KEY, {
      method: "POST",
      body: JSON.stringify({ scopes: ["issue"], namespaces: ["orders"] }),
    });
    expect([put.status, made.status]).toEqual([201, 201]);
    const { key, id } = (await made.json()) as { key: string; id: string };
    await first.crash();
    const second = await start({ ADMIN_KEY });
    const statusOf = async (path: string, token: string, method = "GET") =>
      (await send(second, path, token, { method })).status;
    expect(await statusOf("/v1/ids/orders", key)).toBe(200);
    expect(await statusOf("/v1/ids/default", key)).toBe(403);
    expect(await statusOf("/v1/keys", key)).toBe(403);
    expect(await statusOf("/v1/ids/orders", "nobody")).toBe(401);
    expect(await statusOf(`/v1/keys/${id}`, ADMIN_KEY, "DELETE")).toBe(204);
    await second.crash();
    const third = await start({ ADMIN_KEY });
    expect((await send(third, "/v1/ids/orders", key)).status).toBe(401);
  });

  it("creates a data folder and files that only the owner can read", async () => {
    const service = await start();
    expect((await fetch(`${service.url}/v1/ids/default?order=strict`)).status).toBe(200);
    const names = readdirSync(dataFolder, { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => name.endsWith(".sqlite")).length).toBeGreaterThan(1);
    for (const name of ["..", ".", ...names]) {
      expect([name, othersMay(path.join(dataFolder, name))]).toEqual([name, 0]);
    }
  });

  it("does not change the mode of an existing data folder", async () => {
    mkdirSync(dataFolder, { recursive: true });
    chmodSync(dataFolder, 0o750);
    await start();
    expect(statSync(dataFolder).mode & 0o777).toBe(0o750);
  });

  it("SIGTERM to npm ends workerd too", async () => {
    // Without the build before it: other tests run what is built.
    const serve = manifest.scripts.serve.split(" && ").at(-1);
    const line = `${serve} --port 0 --data ${dataFolder}`;
    const npm = spawn("npm", ["exec", "--call", line], {
      cwd: PROJECT,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = once(npm, "exit");
    onTestFailed(() => {
      if (npm.pid !== undefined && npm.exitCode === null) process.kill(-npm.pid, "SIGKILL");
    });
    const url = await new Promise<string>((resolve, reject) => {
      npm.on("exit", () => reject(new Error("npm run serve ended")));
      createInterface({ input: npm.stdout }).on("line", (line) => {
        const listening = /listens on (http:\S+)/.exec(line)?.[1];
        if (listening) resolve(listening);
      });
    });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    npm.kill("SIGTERM");
    await ended;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  it.each(["SIGTERM", "SIGINT"] as const)("%s to the wrapper ends workerd too", async (signal) => {
    const service = await start();
    await service.stop(signal);
    expect(service.isRunning()).toBe(false);
    await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();
  });
});

describe("a Host header", () => {
  const service = serviceOfFile({ ACCESS: "open" });

  async function statusOf(host: string, path: string): Promise<number> {
    const { hostname, port } = new URL(service.url);
    const client = connect({ host: hostname, port: Number(port) });
    client.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const [answer] = await once(client, "data");
    client.destroy();
    return Number(/^HTTP\/1.1 (\d+)/.exec(`${answer}`)?.[1]);
  }

  it.each(["[", "a b", "%", "x:99999", "x/v1/ids/default?count=2#", "u@localhost", "x?y=/"])(
    "that is invalid gets 400 on every path: %s",
    async (host) => {
      for (const path of [
        "/v1/ids/default",
        "/v1/keys",
        "/",
        "/healthz",
        "/api/segment/get/segment",
      ]) {
        expect(await statusOf(host, path)).toBe(400);
      }
    },
  );

  it.each(["localhost", "localhost:1", "127.0.0.1:8790", "[::1]:8790", "[::ffff:127.0.0.1]"])(
    "is accepted: %s",
    async (host) => {
      expect(await statusOf(host, "/v1/ids/default")).toBe(200);
    },
  );
});

describe.concurrent("a body", () => {
  const service = serviceOfFile({ ADMIN_KEY });
  const BROKEN_CHUNK = "Transfer-Encoding: chunked\r\n\r\nzz\r\n";

  /** The start of the answer to a request that stops after `rest`; `ends`: its side of the connection ends too. */
  async function answerTo(request: string, rest: string, ends: boolean): Promise<string> {
    const { hostname, port } = new URL(service.url);
    const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const head = `Host: x\r\nAuthorization: Bearer ${ADMIN_KEY}\r\nContent-Type: application/json`;
    client.write(`${request} HTTP/1.1\r\n${head}\r\n${rest}`);
    if (ends) client.end();
    const [answer] = await once(client, "data");
    client.destroy();
    return String(answer);
  }

  it.each([
    ["breaks off", "PUT /v1/namespaces/x", BROKEN_CHUNK, false],
    ["breaks off", "POST /v1/keys", BROKEN_CHUNK, false],
    ["ends too early", "POST /v1/keys", "Content-Length: 50\r\n\r\n{", true],
    ["breaks off on a route without one", "POST /v1/ids/default", BROKEN_CHUNK, false],
    [
      "never begins on a route without one",
      "POST /v1/ids/default",
      "Transfer-Encoding: chunked\r\n\r\n",
      false,
    ],
    [
      "never comes on a route without one",
      "POST /v1/ids/default",
      "Content-Length: 5\r\n\r\n",
      false,
    ],
  ] as const)("that %s is answered with 400 (%s)", async (_, request, rest, ends) => {
    expect(await answerTo(request, rest, ends)).toMatch(/^HTTP\/1.1 400 /);
  });

  it("that never ends is answered with 400", { tags: ["long"] }, async () => {
    const rest = "Content-Length: 50\r\n\r\n{";
    expect(await answerTo("PUT /v1/namespaces/x", rest, false)).toMatch(/^HTTP\/1.1 400 /);
  });
});
