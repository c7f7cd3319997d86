/** Segments of the production build as a process: crashes in mid-flight. Needs `npm run build` before. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ServiceProcess } from "../support/service-process.ts";

const CONNECTIONS = 16;
const CRASHES = 3;

const Ids = v.object({ ids: v.array(v.string()) });

let folder: string;
let service: ServiceProcess;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "edgeflake-"));
  service = await start();
});
afterEach(async () => {
  if (service.isRunning()) await service.crash();
  rmSync(folder, { recursive: true, force: true });
});

function start(): Promise<ServiceProcess> {
  return ServiceProcess.start(path.join(folder, "data"), { ACCESS: "open" });
}

async function makeNamespace(body: object): Promise<void> {
  const { status } = await fetch(`${service.url}/v1/namespaces/orders`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(status).toBe(201);
}

/** The IDs of an answer; undefined where none came. */
async function ask(query: string, headers: Record<string, string> = {}) {
  try {
    const response = await fetch(`${service.url}/v1/ids/orders${query}`, { headers });
    return response.status === 200 ? v.parse(Ids, await response.json()).ids : undefined;
  } catch {
    return undefined;
  }
}

/** Runs `request` over CONNECTIONS connections until `done` says so, with kill -9 and a restart CRASHES times. */
async function throughCrashes(
  request: () => Promise<void>,
  done: (crashes: number) => boolean,
): Promise<void> {
  let crashes = 0;
  const connection = async (): Promise<void> => {
    while (!done(crashes)) await request();
  };
  const connections = Array.from({ length: CONNECTIONS }, connection);
  for (; crashes < CRASHES; crashes += 1) {
    await pause(150 + 200 * crashes);
    await service.crash();
    service = await start();
  }
  await Promise.all(connections);
}

describe("segments through kill -9 in mid-flight", () => {
  it("strict requests repeated with their Idempotency-Key leave no hole", async () => {
    await makeNamespace({ kind: "segment" });
    const total = 4000;
    const ids: string[] = [];
    let asked = 0;
    let repeated = 0;
    const one = async (): Promise<void> => {
      asked += 1;
      if (asked > total) return;
      const headers = { "idempotency-key": `request-${asked}` };
      for (;;) {
        const got = await ask("?order=strict", headers);
        if (got) return void ids.push(...got);
        repeated += 1;
        await pause(5);
      }
    };
    await throughCrashes(one, () => asked >= total);
    expect(ids.map(Number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: total }, (_, index) => index + 1),
    );
    // Or the crashes hit nothing.
    expect(repeated).toBeGreaterThan(0);
  });

  it("no number comes twice, strict, fresh or in batches", async () => {
    await makeNamespace({ kind: "segment", step: 50, start: "9007199254740990" });
    const queries = ["", "?order=strict", "?count=7", "?count=600"];
    const ids: string[] = [];
    let asked = 0;
    const one = async (): Promise<void> => {
      asked += 1;
      const got = await ask(queries[asked % queries.length] ?? "");
      if (got) ids.push(...got);
      else await pause(5);
    };
    await throughCrashes(one, (crashes) => crashes === CRASHES && asked >= 3000);
    expect(ids.length).toBeGreaterThan(3000);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => BigInt(id) >= 9_007_199_254_740_990n)).toBe(true);
  });
});
