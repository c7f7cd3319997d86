/** `edgeflake verify`, as built, against the real service and against servers that lie. Needs `npm run build` before. */
import type { ChildProcess } from "node:child_process";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import {
  checksOf,
  type Ended,
  type Report,
  reportOf,
  runCommand,
  startCommand,
} from "../support/processes/edgeflake-command.ts";
import { giveIds, idAt, type Lie, lyingServer } from "../support/processes/lying-server.ts";
import { serviceOfFile } from "../support/processes/service-process.ts";

const ADMIN_KEY = "the-admin-key-of-this-file";
const RATE = 200;
/** Fewer connections than keys, so that the requests of one key never all overlap. */
const CONNECTIONS = 4;

const service = serviceOfFile({ ACCESS: "open" });
const closed = serviceOfFile({ ADMIN_KEY });

/** A run of one second against `url`, with its report. */
async function verified(
  url: string,
  args: readonly string[] = [],
  key?: string,
): Promise<Ended & { readonly report: Report }> {
  const load = ["--rate", `${RATE}`, "--seconds", "1", "--connections", `${CONNECTIONS}`, "--json"];
  const target = [
    "--url",
    url,
    ...(args.includes("--namespace") ? [] : ["--namespace", "default"]),
  ];
  const ended = await runCommand(["verify", ...target, ...load, ...args], key);
  return { ...ended, report: reportOf(ended) };
}

describe.concurrent("against the service", () => {
  const IDS_HELD = ["history", "duplicates", "form", "counts"];
  type Run = [title: string, args: readonly string[], held: readonly string[]];
  const LAYOUT_HELD = [...IDS_HELD, "key_order", "times", "shards"];
  const quick: Run[] = [
    ["open, plain and keyed", [], LAYOUT_HELD],
    [
      "in strict order",
      ["--order", "strict", "--namespace", "twitter"],
      [...IDS_HELD, "key_order", "shard_order", "times", "shards"],
    ],
    [
      "Leaf's snowflake",
      ["--dialect", "leaf-snowflake", "--namespace", "leaf"],
      [...IDS_HELD, "times"],
    ],
    ["TinyID", ["--dialect", "tinyid", "--count", "7", "--namespace", "segment"], IDS_HELD],
  ];
  const long: Run[] = [
    ["many at once", ["--count", "100", "--namespace", "js53"], LAYOUT_HELD],
    [
      "one shard in strict order",
      ["--order", "strict", "--shard", "3", "--namespace", "node"],
      [...IDS_HELD, "shard_order", "times", "shards"],
    ],
    ["a segment, with keys", ["--namespace", "segment"], [...IDS_HELD, "key_order"]],
    ["Leaf's segment", ["--dialect", "leaf-segment", "--namespace", "segment"], IDS_HELD],
    ["TinyID, simple", ["--dialect", "tinyid-simple", "--namespace", "segment"], IDS_HELD],
  ];
  const holds = async (_: string, args: readonly string[], held: readonly string[]) => {
    const { status, report } = await verified(service.url, args);
    expect(checksOf(report, "broken")).toEqual([]);
    expect(checksOf(report, "held")).toEqual(held);
    expect([status, report.ok, report.interrupted]).toEqual([0, true, false]);
    const { requests, ids, asked } = report;
    expect(requests).toMatchObject({ due: RATE, definite: 0, indefinite: 0 });
    expect(requests.acknowledged + requests.skipped).toBe(RATE);
    expect(ids.acknowledged).toBe(requests.acknowledged * asked.count);
    expect(ids.distinct).toBe(ids.acknowledged);
    expect(report.latencyMs.fromSchedule?.max).toBeGreaterThanOrEqual(
      report.latencyMs.fromSending?.p50 ?? Number.NaN,
    );
    const inShards = report.shards.reduce((sum, one) => sum + one.ids, 0);
    const sayShards = report.target.dialect === "edgeflake" || report.times !== null;
    expect(inShards).toBe(sayShards ? ids.acknowledged : 0);
  };
  it.each(quick)("%s: every promise holds", holds);
  it.each(long)("%s: every promise holds", { tags: ["long"] }, holds);

  it("with a key from the environment, which is not in the output", async () => {
    const { status, report, stdout, stderr } = await verified(closed.url, [], ADMIN_KEY);
    expect([status, checksOf(report, "held")]).toEqual([0, LAYOUT_HELD]);
    expect(report.layout.source).toBe("GET /v1/namespaces/default");
    expect(stdout + stderr).not.toContain(ADMIN_KEY);
    const asToken = ["--dialect", "tinyid", "--namespace", "segment", "--key", ADMIN_KEY];
    expect((await verified(closed.url, asToken)).status).toBe(0);
  });

  it("a namespace with its own layout, if the key may read it", async () => {
    const admin = async (method: string, route: string, body: object): Promise<string> => {
      const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
      const init = { method, headers, body: JSON.stringify(body) };
      const response = await fetch(`${closed.url}/v1/${route}`, init);
      expect(response.status).toBe(201);
      return await response.text();
    };
    const layout = { timestampBits: 30, workerBits: 6, sequenceBits: 14, tickMs: 1000 };
    await admin("PUT", "namespaces/own", { kind: "snowflake", layout });
    const made: unknown = JSON.parse(await admin("POST", "keys", { scopes: ["issue"] }));
    const { key } = v.parse(v.object({ key: v.string() }), made);
    const mayRead = await verified(closed.url, ["--namespace", "own"], ADMIN_KEY);
    expect([mayRead.status, checksOf(mayRead.report, "held")]).toEqual([0, LAYOUT_HELD]);
    expect(mayRead.report.layout.fingerprint).toMatch(/^timestamp:30 worker:6 sequence:14 /);
    const { status, report } = await verified(closed.url, ["--namespace", "own"], key);
    expect([status, checksOf(report, "held")]).toEqual([0, [...IDS_HELD, "key_order"]]);
    expect(report.layout).toEqual({
      fingerprint: null,
      source: "GET /v1/namespaces/own: 403; use --preset",
    });
  });

  it.each([
    ["edgeflake", "default", "unauthorized"],
    ["leaf-snowflake", "leaf", "leaf_-2"],
    ["tinyid", "segment", "tinyid_5"],
  ])("%s: without a key nothing is granted and nothing is proved", async (dialect, name, code) => {
    // Few: the service logs each.
    const args = ["--dialect", dialect, "--namespace", name, "--rate", "5"];
    const { status, report } = await verified(closed.url, args);
    expect([status, checksOf(report, "broken")]).toEqual([3, ["history"]]);
    expect(report.requests).toMatchObject({ acknowledged: 0, definite: report.requests.sent });
    expect(report.failures).toMatchObject([{ code, indefinite: 0 }]);
  });

  it("prints a table, and progress on standard error", async () => {
    const target = ["--url", `${service.url}/`, "--namespace", "default"];
    const load = ["--rate", "50", "--seconds", "2"];
    const { status, stdout, stderr } = await runCommand(["verify", ...target, ...load]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^requests +100 due, 100 sent, 0 skipped$/m);
    expect(stdout).toMatch(/^duplicates +held +no ID came twice$/m);
    expect(stdout).toMatch(/^from schedule( +[\d,]+\.\d\d){5}$/m);
    expect(stdout).toMatch(/^held: every promise that could be checked\.$/m);
    expect(stderr).toMatch(/^\d s {2}\d+ sent {2}\d+ acknowledged \(\+\d+\) {2}failed 0 definite/m);
  });
});

describe.concurrent("against a server that", () => {
  async function lied(lie: Lie, args: readonly string[] = []) {
    await using server = await lyingServer(lie);
    return await verified(server.url, ["--namespace", "orders", ...args]);
  }
  const exampleOf = (report: Report, name: string): string =>
    report.checks.find((check) => check.name === name)?.examples.join("\n") ?? "";

  it("repeats an ID: the report names it, with the times and shards", async () => {
    const { status, report } = await lied(
      (number, response) => {
        const id = number === 90 ? 1033 : 1000 + number;
        giveIds(response, [`${id}`], { "edgeflake-shard": "4" });
      },
      ["--mix", "plain"],
    );
    expect([status, checksOf(report, "broken")]).toEqual([1, ["duplicates"]]);
    expect(exampleOf(report, "duplicates")).toMatch(
      /^1033 at \d\.\d{3} s \(plain, shard 4\) and at \d\.\d{3} s \(plain, shard 4\)$/,
    );
  });

  it("goes back for a key", async () => {
    const { status, report } = await lied((number, response, { url }) => {
      giveIds(response, [`${url?.includes("key=") ? 9000 - number : 10_000 + number}`]);
    });
    expect([status, checksOf(report, "broken")]).toEqual([1, ["key_order"]]);
    expect(exampleOf(report, "key_order")).toMatch(/^key verify-\d: 8\d{3} at .* after \d{4} at /);
  });

  it("goes back in strict order", async () => {
    const { status, report } = await lied(
      (number, response) => {
        giveIds(response, [`${9000 - number}`], { "edgeflake-shard": "4" });
      },
      ["--order", "strict", "--mix", "plain"],
    );
    expect([status, checksOf(report, "broken")]).toEqual([1, ["shard_order"]]);
  });

  it("never answers", async () => {
    const { status, report } = await lied(() => {}, ["--timeout-ms", "300"]);
    expect([status, checksOf(report, "broken")]).toEqual([3, ["history"]]);
    expect(report.requests).toMatchObject({ acknowledged: 0, definite: 0 });
    expect(report.failures).toMatchObject([{ code: "timeout", indefinite: report.requests.sent }]);
    expect(report.latencyMs).toEqual({ fromSchedule: null, fromSending: null });
  });

  it("rejects everything", async () => {
    const { status, report } = await lied((_, response) => {
      response.writeHead(503, { "content-type": "application/problem+json" });
      response.end(JSON.stringify({ code: "shard_saturated", detail: "full", definite: true }));
    });
    expect([status, checksOf(report, "broken")]).toEqual([3, ["history"]]);
    const example = { code: "shard_saturated", indefinite: 0, example: "full" };
    expect(report.failures).toEqual([{ ...example, definite: report.requests.sent }]);
  });

  it("cuts some answers: those are indefinite, and break no promise", async () => {
    const { status, report } = await lied((number, response) => {
      if (number % 2 === 0) return giveIds(response, [`${number}`]);
      response.writeHead(200, { "content-length": "20" });
      response.write('{"ids":["', () => response.destroy());
    });
    expect([status, report.ok]).toEqual([0, true]);
    expect(report.failures.map(({ code }) => code)).toEqual(["body_cut"]);
    expect(report.requests).toMatchObject({ acknowledged: RATE / 2, indefinite: RATE / 2 });
  });

  it("drops connections", async () => {
    const { status, report } = await lied((_, response) => response.destroy());
    expect([status, report.requests.indefinite]).toEqual([3, report.requests.sent]);
    expect(report.failures.map(({ code }) => code)).toEqual(["connection_broken"]);
  });

  const AN_HOUR_MS = 3_600_000;
  it.each([
    ["two hours ahead", 2 * AN_HOUR_MS, [], ["times"]],
    ["half an hour ahead, as a clock that stepped back is forgiven", AN_HOUR_MS / 2, [], []],
    ["half an hour ahead, of which a minute is tolerated", AN_HOUR_MS / 2, ["60000"], ["times"]],
  ])("has a clock %s", async (_, offsetMs, skew, broken) => {
    const skewArgs = skew.flatMap((ms) => ["--skew-ms", ms]);
    const { status, report } = await lied(
      (number, response) => giveIds(response, [idAt(offsetMs, number)]),
      ["--preset", "default", "--mix", "plain", ...skewArgs],
    );
    expect([status, checksOf(report, "broken")]).toEqual([broken.length, broken]);
    const { minMs, maxMs } = report.times ?? { minMs: 0, maxMs: 0 };
    expect(Math.abs(minMs - offsetMs)).toBeLessThan(30_000);
    expect(Math.abs(maxMs - offsetMs)).toBeLessThan(30_000);
  });

  it.each([
    ["gives two for one", ["1", "2"], {}, ["duplicates", "counts"]],
    ["names another shard", ["1"], { "edgeflake-shard": "5" }, ["duplicates", "shards"]],
  ])("%s", async (_, ids, headers, broken) => {
    const lie: Lie = (_number, response) => giveIds(response, ids, headers);
    const { status, report } = await lied(lie, ["--shard", "4"]);
    expect([status, checksOf(report, "broken")]).toEqual([1, broken]);
  });

  it("is too slow for the rate: what can't be sent is counted", async () => {
    const { status, report } = await lied(
      (number, response) => void setTimeout(() => giveIds(response, [`${number}`]), 150),
      ["--connections", "1", "--timeout-ms", "400"],
    );
    expect(status).toBe(0);
    const { due, sent, skipped, acknowledged, indefinite } = report.requests;
    expect([due, sent]).toEqual([RATE, acknowledged + indefinite]);
    expect(skipped).toBeGreaterThan(0);
    expect(sent + skipped).toBe(RATE);
    // They waited for the one connection, and the latency includes that.
    expect(report.latencyMs.fromSchedule?.max).toBeGreaterThan(
      (report.latencyMs.fromSending?.max ?? Number.NaN) + 100,
    );
  });

  it("is not there", async () => {
    const server = await lyingServer(() => {});
    await server[Symbol.asyncDispose]();
    const { status, report } = await verified(server.url);
    expect([status, checksOf(report, "broken")]).toEqual([3, ["history"]]);
    expect(report.failures).toMatchObject([
      { code: "connection_refused", definite: RATE, indefinite: 0 },
    ]);
  });
});

describe.concurrent("a signal", () => {
  const LONG = ["--namespace", "orders", "--rate", "100", "--seconds", "600", "--json"];

  /** SIGINT comes once, at a request over a connection that has carried so many whole answers before. */
  async function interrupted(lie: Lie, isTime: (answered: number) => boolean): Promise<Ended> {
    const answered = new Map<unknown, number>();
    let child: ChildProcess | undefined;
    await using server = await lyingServer((number, response, request) => {
      const count = answered.get(request.socket) ?? 0;
      answered.set(request.socket, count + 1);
      if (isTime(count) && child?.killed === false) child.kill("SIGINT");
      lie(number, response, request);
    });
    const command = startCommand(["verify", "--url", server.url, ...LONG]);
    child = command.child;
    return await command.ended;
  }

  it("ends early, with a verdict on the responses so far", async () => {
    const ended = await interrupted(
      (number, response) => giveIds(response, [`${number}`]),
      (answered) => answered > 0,
    );
    const { ok, interrupted: wasInterrupted, requests } = reportOf(ended);
    expect([ended.status, ok, wasInterrupted]).toEqual([0, true, true]);
    expect(requests.acknowledged).toBeGreaterThan(0);
    expect(requests.due).toBeLessThan(60_000);
  });

  it("does not hide a broken promise", async () => {
    const ended = await interrupted(
      (_, response) => giveIds(response, ["7"]),
      (answered) => answered > 1,
    );
    expect([ended.status, reportOf(ended).interrupted]).toEqual([1, true]);
  });

  it("before any ID came: 130", async () => {
    const ended = await interrupted(
      () => {},
      () => true,
    );
    expect(ended.status).toBe(130);
    expect(reportOf(ended).failures).toMatchObject([{ code: "interrupted", definite: 0 }]);
  });
});

describe.concurrent("the command line", () => {
  it.each([
    [["--version"], 0, `${manifest.version}\n`],
    [["--help"], 0, "usage: edgeflake COMMAND"],
    [["verify", "--help"], 0, "usage: edgeflake verify"],
  ])("%j prints the requested text", async (args, status, says) => {
    const ended = await runCommand(args);
    expect([ended.status, ended.stderr]).toEqual([status, ""]);
    expect(ended.stdout.startsWith(says)).toBe(true);
  });

  it.each([
    [[], "usage: edgeflake COMMAND"],
    [["mint"], "unknown command: mint"],
    [["verify"], "--url must be"],
    [
      ["verify", "--url", "http://127.0.0.1:1", "--namespace", "a", "--rate", "0"],
      "--rate must be",
    ],
  ])("%j is bad usage", async (args, says) => {
    const ended = await runCommand(args);
    expect([ended.status, ended.stdout]).toEqual([2, ""]);
    expect(ended.stderr).toContain(says);
    expect(ended.stderr).toContain("usage: edgeflake");
  });
});
