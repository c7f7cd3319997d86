/** Minters of one test file, in this process or in their own, against the service as built. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { EdgeflakeError, Minter, type MinterOptions } from "edgeflake/minter";
import * as v from "valibot";
import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";
import { type Gate, gateTo } from "./processes/gate.ts";
import { MintingProcess } from "./processes/minting-process.ts";
import { serviceOfFile } from "./processes/service-process.ts";

export const ADMIN_KEY = "the-admin-key-of-this-file";
/** Of a lease, unless a minter asks for another. */
export const TTL_DEFAULT_MS = 60_000;
/** For a machine that is busy. */
export const WAIT_MS = 40_000;
/** Of the presets with a tick of 1 ms and 12 bits of sequence. */
const EPOCH_MS = 1_735_689_600_000;

const Listed = v.object({
  leases: v.array(
    v.object({
      worker: v.number(),
      holder: v.string(),
      state: v.string(),
      notBefore: v.number(),
      notAfter: v.number(),
    }),
  ),
});

type Clock = Pick<DateConstructor, "now">;
const REAL_NOW = new Map<Clock, () => number>(
  [Date, performance].map((clock) => [clock, clock.now.bind(clock)]),
);

/** Open to everybody. */
export const service = serviceOfFile({ ACCESS: "open" });
let folder: string;
let minters: Minter[] = [];
let gates: Gate[] = [];
let processes: MintingProcess[] = [];
let files = 0;
const ahead = new Map<Clock, number>();

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "edgeflake-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  ahead.clear();
  for (const process of processes) if (process.isRunning()) await process.crash();
  await Promise.all(minters.map((minter) => minter.close()));
  for (const gate of gates) await gate.close();
  [minters, gates, processes] = [[], [], []];
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

export function ask(url: string, method: string, route: string, body?: object): Promise<Response> {
  return fetch(`${url}/v1/${route}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
}

export async function leaseOf(worker: number | undefined, namespace = "default") {
  const answer = await ask(service.url, "GET", `leases/${namespace}`);
  const { leases } = v.parse(Listed, await answer.json());
  const lease = leases.find((one) => one.worker === worker);
  if (!lease) throw new Error(`worker ID ${worker} has no lease`);
  return lease;
}

export async function revoke(worker: number | undefined): Promise<void> {
  const { status } = await ask(service.url, "DELETE", `leases/default/${worker}?revoke=true`);
  expect(status).toBe(204);
}

/** A minter of this process, closed after the test. */
export async function open(change: Partial<MinterOptions> = {}): Promise<Minter> {
  const minter = await Minter.open({ url: service.url, namespace: "default", ...change });
  minters.push(minter);
  return minter;
}

/** A way to the service, closed after the test. */
export async function gate(to = service.url): Promise<Gate> {
  const made = await gateTo(to);
  gates.push(made);
  return made;
}

/** A minting process, killed after the test. */
export function start(options: object, ...commands: string[]): MintingProcess {
  const defaults = { url: service.url, namespace: "default" };
  const process = new MintingProcess({ ...defaults, ...options }, ...commands);
  processes.push(process);
  return process;
}

/** The path of something in this file's folder. */
export function pathTo(name: string): string {
  return path.join(folder, name);
}

/** The path of a store that is not there yet. */
export function newFile(): string {
  files += 1;
  return pathTo(`store-${files}.json`);
}

/** The number of the newest text of a store; 0 before the first. */
export function newestOf(file: string): number {
  const prefix = `${path.basename(file)}.`;
  const names = readdirSync(path.dirname(file)).filter((name) => name.startsWith(prefix));
  return Math.max(0, ...names.map((name) => Number(name.slice(prefix.length)) || 0));
}

export function storedIn(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(`${file}.${newestOf(file)}`, "utf8"));
}

/** The error that a call throws or rejects with. */
export async function failureOf(call: () => unknown): Promise<EdgeflakeError> {
  const error: unknown = await Promise.resolve()
    .then(call)
    .then(
      () => new Error("it did not fail"),
      (thrown: unknown) => thrown,
    );
  if (!(error instanceof EdgeflakeError)) throw error;
  return error;
}

/** Waits for a condition. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(isSo, { timeout: WAIT_MS, interval: 10 });
}

/** next(), into `ids`; the code of what it throws. */
export function tryNext(minter: Minter, ids: string[]): string | undefined {
  try {
    ids.push(minter.next());
    return undefined;
  } catch (error) {
    if (!(error instanceof EdgeflakeError)) throw error;
    return error.code;
  }
}

/** Moves clocks of this process forward until the test's end: leases end and are renewed without a wait. */
export function passTime(byMs: number, clocks: readonly Clock[] = [Date, performance]): void {
  for (const clock of clocks) {
    const aheadMs = (ahead.get(clock) ?? 0) + byMs;
    ahead.set(clock, aheadMs);
    const now = REAL_NOW.get(clock) ?? clock.now;
    vi.spyOn(clock, "now").mockImplementation(() => now() + aheadMs);
  }
}

export const workerOf = (id: string | undefined) => Number((BigInt(id ?? 0) >> 12n) & 1023n);
/** Of an ID of `default`. */
export const msOf = (id: string) => Number(BigInt(id) >> 22n) + EPOCH_MS;

export function expectDistinct(...lists: (readonly string[])[]): void {
  const ids = lists.flat();
  expect(new Set(ids).size).toBe(ids.length);
}
