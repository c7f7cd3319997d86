/** The production build as a process: crashes, restarts, signals. Needs `npm run build` before. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ServiceProcess } from "../support/service-process.ts";

const CONNECTIONS = 16;

let dataFolder: string;
let running: ServiceProcess[] = [];

beforeEach(() => {
  dataFolder = path.join(mkdtempSync(path.join(tmpdir(), "edgeflake-")), "made", "by-serve");
});
afterEach(async () => {
  for (const service of running) if (service.isRunning()) await service.crash();
  running = [];
  rmSync(path.dirname(path.dirname(dataFolder)), { recursive: true, force: true });
});

async function start(
  variables: { readonly ACCESS?: string; readonly ADMIN_KEY?: string } = { ACCESS: "open" },
): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(dataFolder, variables);
  running.push(service);
  return service;
}

/** IDs fetched one by one over CONNECTIONS connections at once; a request that fails is left out. */
async function fetchIds(url: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  let left = count;
  const connection = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const response = await fetch(url).catch(() => undefined);
      if (response?.status !== 200) continue;
      const body = (await response.json()) as { ids: string[] };
      ids.push(...body.ids);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return ids;
}

describe("npm run serve", () => {
  it("20,000 distinct IDs by 16 connections, with kill -9 of the process group in between", async () => {
    const first = await start();
    const ids = await fetchIds(`${first.url}/v1/ids/default`, 10_000);
    await first.crash();
    const second = await start();
    ids.push(...(await fetchIds(`${second.url}/v1/ids/default`, 10_000)));
    expect(ids).toHaveLength(20_000);
    expect(new Set(ids).size).toBe(20_000);
  });

  it.each(["default", "twitter", "leaf", "js53", "node"])(
    "%s: what was answered before a kill in mid-flight is never answered again",
    async (namespace) => {
      const answered: string[] = [];
      for (let round = 0; round < 3; round += 1) {
        const service = await start();
        const url = `${service.url}/v1/ids/${namespace}?shard=0&count=5`;
        const fetching = fetchIds(url, 2000);
        setTimeout(() => void service.crash(), 100 + round * 40);
        answered.push(...(await fetching));
      }
      expect(answered.length).toBeGreaterThan(0);
      expect(new Set(answered).size).toBe(answered.length);
    },
  );

  it("one shard of default strictly increases through crashes", async () => {
    const ids: bigint[] = [];
    for (let round = 0; round < 3; round += 1) {
      const service = await start();
      for (let request = 0; request < 20; request += 1) {
        const [id = "0"] = await fetchIds(`${service.url}/v1/ids/default?shard=0`, 1);
        ids.push(BigInt(id));
      }
      await service.crash();
    }
    expect(ids).toHaveLength(60);
    expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id))).toBe(true);
  });

  it("is closed where ACCESS is not exactly open, health excepted", async () => {
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

  it("keeps namespaces and keys through a kill right after their answers", async () => {
    const ADMIN_KEY = "the-admin-key";
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

  it("SIGTERM to npm ends workerd too", async () => {
    const npm = spawn("npm", ["run", "serve", "--", "--port", "0", "--data", dataFolder], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const url = await new Promise<string>((resolve, reject) => {
      npm.on("exit", () => reject(new Error("npm run serve ended")));
      createInterface({ input: npm.stdout }).on("line", (line) => {
        const listening = /listens on (http:\S+)/.exec(line)?.[1];
        if (listening) resolve(listening);
      });
    });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const ended = once(npm, "exit");
    npm.kill("SIGTERM");
    await ended;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  it("SIGTERM ends it within a grace, though a client holds a request open", async () => {
    const service = await start();
    const { hostname, port } = new URL(service.url);
    const client = connect(Number(port), hostname);
    client.on("error", () => undefined);
    client.write("GET /v1/ids/default?count=1000000&format=text HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(client, "readable");
    await service.stop();
    expect(service.isRunning()).toBe(false);
    client.destroy();
  });

  it("answers a body that breaks off with 400 where one is taken too", async () => {
    const service = await start({ ADMIN_KEY: "the-admin-key" });
    const { hostname, port } = new URL(service.url);
    const lines = [
      "Host: x",
      "Authorization: Bearer the-admin-key",
      "Content-Type: application/json",
    ];
    for (const [request, rest, ends] of [
      ["PUT /v1/namespaces/x", "Transfer-Encoding: chunked\r\n\r\nzz\r\n", false],
      ["POST /v1/keys", "Transfer-Encoding: chunked\r\n\r\nzz\r\n", false],
      ["POST /v1/keys", "Content-Length: 50\r\n\r\n{", true],
      ["PUT /v1/namespaces/x", "Content-Length: 50\r\n\r\n{", false],
    ] as const) {
      const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      client.write(`${request} HTTP/1.1\r\n${lines.join("\r\n")}\r\n${rest}`);
      if (ends) client.end();
      const [answer] = await once(client, "data");
      expect(String(answer)).toMatch(/^HTTP\/1.1 400 /);
      client.destroy();
    }
  });

  it("answers a body that breaks off, and one that never comes, with 400", async () => {
    const service = await start();
    const { hostname, port } = new URL(service.url);
    const head = "POST /v1/ids/default HTTP/1.1\r\nHost: x\r\n";
    for (const rest of [
      "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
      "Transfer-Encoding: chunked\r\n\r\n",
      "Content-Length: 5\r\n\r\n",
    ]) {
      const client = connect(Number(port), hostname);
      client.write(head + rest);
      const [answer] = await once(client, "data");
      expect(String(answer)).toMatch(/^HTTP\/1.1 400 /);
      client.destroy();
    }
  });

  it.each(["SIGTERM", "SIGINT"] as const)("%s to the wrapper ends workerd too", async (signal) => {
    const service = await start();
    await service.stop(signal);
    expect(service.isRunning()).toBe(false);
    await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();
  });
});
