/** Segments of the production build as a process: crashes in mid-flight. Needs `npm run build` before. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as v from "valibot";
import { expect, it, onTestFinished, vi } from "vitest";
import { ServiceProcess } from "../support/processes/service-process.ts";

const CONNECTIONS = 16;
const CRASHES = 3;
/** Before each crash. */
const IDS_OF_A_LIFE = 150;
/** Before a request is repeated, in ms: a service that starts needs the processor. */
const REST_MS = 50;
/** For a machine that is busy. */
const WAIT = { timeout: 40_000, interval: 5 };

const Ids = v.object({ ids: v.array(v.string()) });

let service: ServiceProcess;

async function makeNamespace(body: object): Promise<void> {
  const { status } = await fetch(`${service.url}/v1/namespaces/orders`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(status).toBe(201);
}

/** The IDs of a response; undefined without a response. */
async function ask(query: string, headers: Record<string, string> = {}) {
  try {
    const response = await fetch(`${service.url}/v1/ids/orders${query}`, { headers });
    return response.status === 200 ? v.parse(Ids, await response.json()).ids : undefined;
  } catch {
    return undefined;
  }
}

it("through kill -9, strict requests repeated with their Idempotency-Key leave no gap", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "edgeflake-"));
  const start = () => ServiceProcess.start(path.join(folder, "data"), { ACCESS: "open" });
  let isOver = false;
  service = await start();
  onTestFinished(async () => {
    isOver = true;
    if (service.isRunning()) await service.crash();
    rmSync(folder, { recursive: true, force: true });
  });
  await makeNamespace({ kind: "segment" });
  const ids: string[] = [];
  let asked = 0;
  let repeated = 0;
  let isEnough = false;
  const connection = async (): Promise<void> => {
    while (!isEnough) {
      asked += 1;
      const headers = { "idempotency-key": `request-${asked}` };
      let got = await ask("?order=strict", headers);
      for (; !got; got = await ask("?order=strict", headers)) {
        if (isOver) return;
        repeated += 1;
        await pause(REST_MS);
      }
      ids.push(...got);
    }
  };
  const connections = Array.from({ length: CONNECTIONS }, connection);
  for (let crash = 0; crash < CRASHES; crash += 1) {
    const [idsBefore, repeatedBefore] = [ids.length, repeated];
    await vi.waitUntil(() => ids.length >= idsBefore + IDS_OF_A_LIFE, WAIT);
    await service.crash();
    await vi.waitUntil(() => repeated > repeatedBefore, WAIT);
    service = await start();
  }
  isEnough = true;
  await Promise.all(connections);
  expect(ids.map(Number).sort((a, b) => a - b)).toEqual(
    Array.from({ length: asked }, (_, index) => index + 1),
  );
});
