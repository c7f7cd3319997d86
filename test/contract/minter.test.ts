/** The published minter, as built, in Node against the real service. Needs `npm run build` before. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { EdgeflakeError, Minter, type MinterOptions } from "edgeflake/minter";
import { fileStore } from "edgeflake/minter/file";
import * as v from "valibot";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Gate, gateTo } from "../support/gate.ts";
import { MintingProcess } from "../support/minting-process.ts";
import { ServiceProcess } from "../support/service-process.ts";

const ADMIN_KEY = "the-admin-key";
const SIZE_MAX_BYTES = 8_500;
const TTL_MS = 5000;
const WAIT_MS = 40_000;
/** Of the preset `default`: worker IDs are leased from the upper half of 1024. */
const FIRST_WORKER = 512;
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

let folder: string;
let service: ServiceProcess;
let closed: ServiceProcess;
let minters: Minter[] = [];
let gates: Gate[] = [];
let processes: MintingProcess[] = [];
let files = 0;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "edgeflake-"));
  service = await ServiceProcess.start(path.join(folder, "open"), { ACCESS: "open" });
  closed = await ServiceProcess.start(path.join(folder, "closed"), { ADMIN_KEY });
  const { status } = await ask(service.url, "PUT", "namespaces/numbers", { kind: "segment" });
  expect(status).toBe(201);
});
afterEach(async () => {
  for (const process of processes) if (process.isRunning()) await process.crash();
  for (const minter of minters) await minter.close();
  for (const gate of gates) await gate.close();
  [minters, gates, processes] = [[], [], []];
});
afterAll(async () => {
  await service.crash();
  await closed.crash();
  rmSync(folder, { recursive: true, force: true });
});

function ask(url: string, method: string, route: string, body?: object): Promise<Response> {
  return fetch(`${url}/v1/${route}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function leaseOf(worker: number | undefined) {
  const answer = await ask(service.url, "GET", "leases/default");
  const { leases } = v.parse(Listed, await answer.json());
  const lease = leases.find((one) => one.worker === worker);
  if (!lease) throw new Error(`worker ID ${worker} has no lease`);
  return lease;
}

async function open(change: Partial<MinterOptions> = {}): Promise<Minter> {
  const minter = await Minter.open({ url: service.url, namespace: "default", ...change });
  minters.push(minter);
  return minter;
}

async function gate(): Promise<Gate> {
  const made = await gateTo(service.url);
  gates.push(made);
  return made;
}

function start(options: object, ...commands: string[]): MintingProcess {
  const defaults = { url: service.url, namespace: "default" };
  const process = new MintingProcess({ ...defaults, ...options }, ...commands);
  processes.push(process);
  return process;
}

function newFile(): string {
  files += 1;
  return path.join(folder, `store-${files}.json`);
}

/** What a call throws, or rejects with. */
async function failureOf(call: () => unknown): Promise<EdgeflakeError> {
  const error: unknown = await Promise.resolve()
    .then(call)
    .then(
      () => new Error("it did not fail"),
      (thrown: unknown) => thrown,
    );
  if (!(error instanceof EdgeflakeError)) throw error;
  return error;
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const untilMs = Date.now() + WAIT_MS;
  while (!(await isSo())) {
    if (Date.now() > untilMs) throw new Error(`never: ${what}`);
    await pause(20);
  }
}

/** next(), into `ids`; the code of what it throws. */
function tryNext(minter: Minter, ids: string[]): string | undefined {
  try {
    ids.push(minter.next());
    return undefined;
  } catch (error) {
    if (!(error instanceof EdgeflakeError)) throw error;
    return error.code;
  }
}

const workerOf = (id: string | undefined) => Number((BigInt(id ?? 0) >> 12n) & 1023n);
const msOf = (id: string) => Number(BigInt(id) >> 22n) + EPOCH_MS;

function expectDistinct(...lists: (readonly string[])[]): void {
  const ids = lists.flat();
  expect(new Set(ids).size).toBe(ids.length);
}

describe("edgeflake/minter", () => {
  it("is small, and has no dependencies", () => {
    const codeOf = (name: string) =>
      readFileSync(new URL(`../../dist/client/${name}.js`, import.meta.url));
    const code = codeOf("minter");
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(SIZE_MAX_BYTES);
    expect(String(code)).not.toMatch(/\bimport\b\s*[("'{*]|\brequire\(|node:/);
    const imports = [...String(codeOf("file-store")).matchAll(/from"([^"]+)"/g)];
    expect(imports.length).toBeGreaterThan(0);
    for (const [, name] of imports) expect(name).toMatch(/^node:/);
  });

  it("leases a worker ID and stamps with it: one at a time, as bigints, many", async () => {
    const minter = await open({ holder: "pod-7" });
    const ids = [minter.next(), `${minter.nextBigInt()}`, ...minter.take(3), minter.next()];
    expect(typeof minter.nextBigInt()).toBe("bigint");
    const many = minter.take(1_000_000);
    expect(many).toHaveLength(1_000_000);
    const ordered = [many, Array.from({ length: 5000 }, () => minter.next())];
    for (const list of ordered) {
      expect(list.every((id, at) => at === 0 || BigInt(id) > BigInt(list[at - 1] ?? id))).toBe(
        true,
      );
    }
    expectDistinct(ids, ...ordered);
    expect(minter.worker).toBeGreaterThanOrEqual(FIRST_WORKER);
    expect(workerOf(ids[0])).toBe(minter.worker);
    const { holder, state, notBefore, notAfter } = await leaseOf(minter.worker);
    expect([holder, state]).toEqual(["pod-7", "held"]);
    const stamped = [ids[0] ?? "", many.at(-1) ?? ""].map(msOf);
    expect(Math.min(...stamped)).toBeGreaterThanOrEqual(notBefore);
    expect(Math.max(...stamped)).toBeLessThan(notAfter);
  });

  it("says what the service decodes", async () => {
    const minter = await open();
    const answer = await fetch(`${service.url}/v1/decode/default/${minter.next()}`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ worker: minter.worker });
  });

  it("close gives the worker ID back, at what was stamped, and ends it all", async () => {
    const minter = await open();
    const { worker } = minter;
    const last = minter.take(100_000).at(-1) ?? "";
    await minter.close();
    await minter.close();
    const { state, notAfter } = await leaseOf(worker);
    expect(state).toBe("released");
    expect(notAfter).toBeGreaterThan(msOf(last));
    expect(notAfter).toBeLessThan(msOf(last) + 1000);
    expect(minter.worker).toBeUndefined();
    for (const call of [
      () => minter.next(),
      () => minter.nextBigInt(),
      () => minter.take(1),
      () => minter.ready(),
    ]) {
      expect(await failureOf(call)).toMatchObject({ code: "closed", definite: true });
    }
    // Nor does any of them lease anew.
    await pause(200);
    expect(minter.worker).toBeUndefined();
  });

  it("where the line is ahead of its clock: shard_saturated with the wait, which ready waits", async () => {
    const minter = await open({ namespace: "js53" });
    const ids = minter.take(120_000);
    const error = await failureOf(() => minter.take(120_000));
    expect(error).toMatchObject({ code: "shard_saturated", definite: true });
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(1);
    // Of what it refused it stamped nothing.
    for (let taken = 0; taken < 200_000; taken += 1000) {
      try {
        ids.push(...minter.take(1000));
      } catch {
        break;
      }
    }
    await minter.ready();
    ids.push(minter.next());
    expectDistinct(ids);
    expect(ids.every((id) => Number.isSafeInteger(Number(id)))).toBe(true);
  });

  it.each(["default", "twitter", "leaf", "js53", "node"])(
    "two on %s: each has a worker ID of its own",
    async (namespace) => {
      const pair = [await open({ namespace }), await open({ namespace })];
      const ids: string[] = [];
      for (let round = 0; round < 200; round += 1) {
        for (const minter of pair) {
          await minter.ready();
          ids.push(minter.next());
        }
      }
      expectDistinct(ids);
      expect(new Set(pair.map(({ worker }) => worker)).size).toBe(2);
    },
  );

  it.each([0, -1, 1.5, Number.NaN, 1_000_001])("take(%d) is a RangeError", async (count) => {
    const minter = await open();
    expect(() => minter.take(count)).toThrow(RangeError);
  });
});

describe("open", () => {
  it.each([
    [{ url: "" }],
    [{ url: "ids.example.com" }],
    [{ namespace: "" }],
    [{ timeoutMs: 0 }],
    [{ timeoutMs: Number.POSITIVE_INFINITY }],
    [{ retries: -1 }],
    [{ retries: Number.NaN }],
  ])("with %j rejects with a TypeError", async (change) => {
    await expect(open(change)).rejects.toThrow(TypeError);
  });

  it.each([
    ["a namespace that is not there", { namespace: "nope" }, "unknown_namespace", 404],
    ["a namespace of the kind segment", { namespace: "numbers" }, "wrong_kind", undefined],
    ["too short a ttl", { ttlMs: 10 }, "invalid_body", undefined],
  ] as const)("rejects, with its code, for %s", async (_, change, code, status) => {
    const error = await failureOf(() => open(change));
    expect(error).toMatchObject({ name: "EdgeflakeError", code, definite: true });
    expect(error.status).toBe(status ?? error.status);
    expect(error.requestId).toBeTruthy();
  });

  it("takes a key with the scope lease", async () => {
    const made = await ask(closed.url, "POST", "keys", { scopes: ["lease"], name: "minters" });
    const other = await ask(closed.url, "POST", "keys", { scopes: ["issue"], name: "others" });
    const Key = v.object({ key: v.string() });
    const { key } = v.parse(Key, await made.json());
    const minter = await open({ url: `${closed.url}/`, key });
    expect(minter.next()).toMatch(/^\d+$/);
    const wrong = await failureOf(() => open({ url: closed.url, key: "nobody" }));
    expect(wrong).toMatchObject({ code: "unauthorized", status: 401, definite: true });
    const { key: lesser } = v.parse(Key, await other.json());
    const forbidden = await failureOf(() => open({ url: closed.url, key: lesser }));
    expect(forbidden).toMatchObject({ code: "forbidden", status: 403 });
  });

  it("rejects where the service is down", async () => {
    const way = await gate();
    way.shut();
    const error = await failureOf(() => open({ url: way.url, retries: 1 }));
    expect(error).toMatchObject({ code: "network", definite: false });
    expect(way.count).toBeGreaterThanOrEqual(2);
  });
});

describe("the lease of a minter", () => {
  it("is renewed in time: the worker ID stays, through more than two ttl", async () => {
    const minter = await open({ ttlMs: TTL_MS });
    const { worker } = minter;
    const ids: string[] = [];
    const codes = new Set<string | undefined>();
    const first = (await leaseOf(worker)).notAfter;
    await until(async () => {
      codes.add(tryNext(minter, ids));
      return (await leaseOf(worker)).notAfter > first + 2 * TTL_MS;
    }, "renewed twice and more");
    expect([...codes]).toEqual([undefined]);
    expect(minter.worker).toBe(worker);
    expectDistinct(ids);
  });

  it("ends where the service is down for long, and no ID lies past it; then there is a new one", async () => {
    const way = await gate();
    const minter = await open({ url: way.url, ttlMs: TTL_MS, timeoutMs: 500 });
    const { worker } = minter;
    const ids = [minter.next()];
    way.shut();
    const sinceMs = Date.now();
    const codes = new Set<string | undefined>();
    await until(() => {
      codes.add(tryNext(minter, ids));
      return codes.has("lease_lost");
    }, "lease_lost");
    expect([...codes]).toEqual([undefined, "lease_lost"]);
    expect(ids.some((id) => msOf(id) > sinceMs)).toBe(true);
    const { notAfter } = await leaseOf(worker);
    expect(Math.max(...ids.map(msOf))).toBeLessThan(notAfter);
    const error = await failureOf(() => minter.next());
    expect(error).toMatchObject({ code: "lease_lost", definite: true });
    expect(error.cause).toMatchObject({ code: expect.stringMatching(/^(network|timeout)$/) });
    const late = await failureOf(() => minter.ready());
    expect(late).toMatchObject({ code: "lease_lost" });
    way.open();
    await until(() => tryNext(minter, ids) === undefined, "an ID again");
    expectDistinct(ids);
  });

  it("that was revoked is dropped, and another one acquired", async () => {
    const minter = await open({ ttlMs: TTL_MS });
    const { worker } = minter;
    const ids = [minter.next()];
    const { status } = await ask(service.url, "DELETE", `leases/default/${worker}?revoke=true`);
    expect(status).toBe(204);
    const { notAfter } = await leaseOf(worker);
    await until(() => {
      tryNext(minter, ids);
      return minter.worker !== undefined && minter.worker !== worker;
    }, "another worker ID");
    await until(() => tryNext(minter, ids) === undefined, "an ID");
    const before = ids.filter((id) => workerOf(id) === worker);
    expect(Math.max(...before.map(msOf))).toBeLessThan(notAfter);
    expect(workerOf(ids.at(-1))).toBe(minter.worker);
    expectDistinct(ids);
  });

  it("is waited for by ready no longer than a signal lets it", async () => {
    const way = await gate();
    const minter = await open({ url: way.url, ttlMs: TTL_MS, timeoutMs: WAIT_MS, retries: 0 });
    await minter.ready({ signal: new AbortController().signal });
    way.shut();
    await until(() => tryNext(minter, []) === "lease_lost", "lease_lost");
    const reason = new Error("enough");
    const stop = new AbortController();
    const waiting = minter.ready({ signal: stop.signal });
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(minter.ready({ signal: stop.signal })).rejects.toBe(reason);
    const ready = minter.ready();
    way.open();
    await ready;
    expect(minter.next()).toMatch(/^\d+$/);
  });
});

describe("processes", () => {
  it("with the same holder have two leases and two worker IDs", async () => {
    const pair = [1, 2].map(() => start({ holder: "pod" }, "take 2000"));
    for (const one of pair) expect(await one.ended).toBe(0);
    const [one, other] = pair.map(({ ids, worker }) => ({ ids, worker }));
    expect(one?.worker).not.toBe(other?.worker);
    expect(one?.ids).toHaveLength(2000);
    expectDistinct(one?.ids ?? [], other?.ids ?? []);
  });

  it.each([
    ["without a store", false],
    ["with a store", true],
  ] as const)("killed right after an ID, %s, never stamp it again", async (_, isStored) => {
    const file = isStored ? newFile() : undefined;
    const ids: string[][] = [];
    const workers = new Set<number>();
    for (let round = 0; round < 4; round += 1) {
      const minting = start({ file }, "loop");
      await minting.until((one) => one.ids.length > 20 * round);
      await minting.crash();
      ids.push(minting.ids);
      workers.add(minting.worker);
    }
    expectDistinct(...ids);
    expect(workers.size).toBe(isStored ? 1 : 4);
  });

  it("go on from their store although the service is down", async () => {
    const way = await gate();
    const file = newFile();
    const options = { url: way.url, file, timeoutMs: 500 };
    const first = start(options, "take 500", "hold");
    await first.until(({ ids }) => ids.length === 500);
    await first.crash();
    way.shut();
    const second = start(options, "loop");
    await second.until(({ ids }) => ids.length > 500);
    expect(second.worker).toBe(first.worker);
    expectDistinct(first.ids, second.ids);
    expect(Number(second.ids[0])).toBeGreaterThan(Number(first.ids.at(-1)));
    const { notAfter } = await leaseOf(first.worker);
    expect(Math.max(...second.ids.map(msOf))).toBeLessThan(notAfter);
    expect(second.lines.filter((line) => /^(failed|unhandled)/.test(line))).toEqual([]);
  });

  it("two on one store: the later one goes on, the other gets a lease of its own", async () => {
    const file = newFile();
    const first = start({ file }, "loop");
    await first.until(({ ids }) => ids.length > 50);
    const second = start({ file }, "loop");
    await second.until(({ ids }) => ids.length > 50);
    expect(second.worker).toBe(first.worker);
    await first.until(({ ids }) => workerOf(ids.at(-1)) !== second.worker);
    const count = second.ids.length;
    await second.until(({ ids }) => ids.length > count + 50);
    expect(workerOf(second.ids.at(-1))).toBe(second.worker);
    expectDistinct(first.ids, second.ids);
  });

  it("that closed leave nothing to go on with", async () => {
    const file = newFile();
    const first = start({ file }, "take 10", "close");
    await first.ended;
    expect((await leaseOf(first.worker)).state).toBe("released");
    const second = start({ file }, "take 10", "close");
    await second.ended;
    expect(second.worker).not.toBe(first.worker);
    expectDistinct(first.ids, second.ids);
  });

  it.each([
    ["without a store", false],
    ["with a store", true],
  ] as const)("end by themselves though the minter is open, %s", async (_, isStored) => {
    const minting = start(isStored ? { file: newFile() } : {}, "take 3");
    expect(await minting.ended).toBe(0);
    expect(minting.ids).toHaveLength(3);
  });

  it("outlive a service that crashes and comes back, with nothing unhandled", async () => {
    const own = path.join(folder, "crashing");
    const first = await ServiceProcess.start(own, { ACCESS: "open" });
    const way = await gateTo(first.url);
    gates.push(way);
    const options = { url: way.url, ttlMs: TTL_MS, timeoutMs: 500 };
    const minting = [start(options, "loop"), start({ ...options, file: newFile() }, "loop")];
    for (const one of minting) await one.until(({ ids }) => ids.length > 20);
    await first.crash();
    way.shut();
    const isLost = (line: string) => line === "error lease_lost";
    await minting[0]?.until(({ lines }) => lines.some(isLost));
    const second = await ServiceProcess.start(own, { ACCESS: "open" });
    try {
      way.open(second.url);
      for (const one of minting) {
        const count = one.ids.length;
        await one.until(({ ids }) => ids.length > count + 50);
        await one.crash();
        expect(one.lines.filter((line) => /^(failed|unhandled)/.test(line))).toEqual([]);
      }
    } finally {
      await second.crash();
    }
    expectDistinct(...minting.map(({ ids }) => ids));
  });
});

/** The number of the newest text of a store; 0 before the first. */
function newestOf(file: string): number {
  const prefix = `${path.basename(file)}.`;
  const names = readdirSync(path.dirname(file)).filter((name) => name.startsWith(prefix));
  return Math.max(0, ...names.map((name) => Number(name.slice(prefix.length)) || 0));
}

function storedIn(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(`${file}.${newestOf(file)}`, "utf8"));
}

describe("a store file", () => {
  it.each([
    ["empty", ""],
    ["no JSON", '{"version":1,'],
    ["no object", "null"],
    ["of another version", '{"version":2,"namespace":"default","mark":1,"lease":{}}'],
    ["without a lease", '{"version":1,"namespace":"default","mark":1}'],
    ["binary", "\u0000\u0001\u0002"],
  ])("that is %s: a lease is acquired, and the file replaced", async (_, text) => {
    const file = newFile();
    writeFileSync(`${file}.1`, text);
    const minter = await open({ store: fileStore(file) });
    expect(minter.next()).toMatch(/^\d+$/);
    expect(storedIn(file)).toMatchObject({ version: 1, namespace: "default" });
  });

  it.each([
    ["negative", -1],
    ["no whole number", 0.5],
    ["missing", undefined],
  ])("whose mark is %s is not gone on with", async (_, mark) => {
    const file = newFile();
    const first = await open({ store: fileStore(file) });
    writeFileSync(`${file}.${newestOf(file)}`, JSON.stringify({ ...storedIn(file), mark }));
    const second = await open({ store: fileStore(file) });
    expect(second.worker).not.toBe(first.worker);
  });

  it("of another namespace is not gone on with", async () => {
    const file = newFile();
    const first = await open({ store: fileStore(file) });
    const second = await open({ store: fileStore(file), namespace: "twitter" });
    expectDistinct(first.take(10), second.take(10));
    expect(storedIn(file)).toMatchObject({ namespace: "twitter" });
  });

  it("of another service is not gone on with", async () => {
    const file = newFile();
    const first = await open({ store: fileStore(file) });
    const { mark } = storedIn(file);
    const elsewhere = { ...storedIn(file), url: "http://elsewhere.example" };
    writeFileSync(`${file}.${newestOf(file)}`, JSON.stringify(elsewhere));
    const second = await open({ store: fileStore(file) });
    expect(second.worker).not.toBe(first.worker);
    expect(storedIn(file).mark).not.toBe(mark);
  });

  it("in a folder that is missing: open rejects with what the file system says", async () => {
    const store = fileStore(path.join(folder, "nowhere", "lease.json"));
    await expect(open({ store })).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("whose lease was revoked meanwhile: another one is acquired", async () => {
    const file = newFile();
    const first = start({ file }, "take 10", "hold");
    await first.until(({ ids }) => ids.length === 10);
    await first.crash();
    await ask(service.url, "DELETE", `leases/default/${first.worker}?revoke=true`);
    const minter = await open({ store: fileStore(file) });
    const ids: string[] = [];
    await until(() => {
      tryNext(minter, ids);
      return workerOf(ids.at(-1)) !== first.worker && ids.length > 0;
    }, "another worker ID");
    expectDistinct(first.ids, ids);
  });
});
