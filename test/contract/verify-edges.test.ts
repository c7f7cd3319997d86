/** `edgeflake verify`, as built, at the edges of its network and of its process. Needs `npm run build` before. */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { PRESETS } from "../../src/core/layout/presets.ts";
import {
  checksOf,
  type Report,
  reportOf,
  runCommand,
  runInShell,
} from "../support/processes/edgeflake-command.ts";
import { giveIds, idAt, type Lie, lyingServer } from "../support/processes/lying-server.ts";

const RATE = 100;
const LOAD = ["--rate", `${RATE}`, "--seconds", "1", "--namespace", "orders"];

/** A run of one second against a server that lies, with its report. */
async function lied(
  lie: Lie,
  args: readonly string[] = [],
  describeNamespace?: Lie,
): Promise<{ readonly status: number | null; readonly report: Report }> {
  await using server = await lyingServer(lie, describeNamespace);
  const ended = await runCommand(["verify", "--url", server.url, ...LOAD, "--json", ...args]);
  return { status: ended.status, report: reportOf(ended) };
}

describe.concurrent("an answer", () => {
  /** More than is read of an answer with one ID. */
  const MANY = Array.from({ length: 5000 }, (_, at) => `${1_000_000_000_000_000 + at}`);

  it("with thousands of IDs for a request of one is malformed", async () => {
    const lie: Lie = (_number, response) => void response.end(JSON.stringify({ ids: MANY }));
    const { status, report } = await lied(lie);
    expect([status, checksOf(report, "broken")]).toEqual([1, ["history", "form"]]);
    const code = "answer_too_long";
    expect(report.failures).toMatchObject([{ code, indefinite: report.requests.sent }]);
  });

  it("that is an endless page of errors is a failure", async () => {
    const { status, report } = await lied((_number, response) => {
      response.writeHead(502).end("<p>".repeat(50_000));
    });
    expect([status, checksOf(report, "broken")]).toEqual([3, ["history"]]);
    expect(report.failures).toMatchObject([{ code: "answer_too_long", definite: 0 }]);
  });

  it("is requested without compression", async () => {
    const { status, report } = await lied((number, response, { headers }) => {
      if (headers["accept-encoding"] === "identity") return giveIds(response, [`${number}`]);
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(JSON.stringify({ ids: [`${number}`] })));
    });
    expect([status, checksOf(report, "broken")]).toEqual([0, []]);
  });

  it("as text that ends with its connection may have been cut", async () => {
    const lie: Lie = (number, { socket }) => {
      const text = `${1_000_000 + number}`;
      socket?.end(`HTTP/1.0 200 OK\r\n\r\n${text.slice(0, number % 2 === 0 ? 3 : undefined)}`);
    };
    const { status, report } = await lied(lie, ["--dialect", "leaf-segment"]);
    expect([status, checksOf(report, "broken")]).toEqual([3, ["history"]]);
    expect(report.failures).toMatchObject([{ code: "body_cut", indefinite: RATE }]);
    expect(report.failures[0]?.example).toContain("neither content-length");
  });
});

describe.concurrent("a namespace", () => {
  const { spec, policy } = PRESETS.get("default") ?? {};
  const A_MINUTE_MS = 60_000;
  /** The service's description of the namespace, with another policy from the `change`th reading on. */
  const describing =
    (change: number): Lie =>
    (number, response) => {
      const maxStepBackMs = number < change ? 1000 : 2 * A_MINUTE_MS;
      const now = { ...policy, maxStepBackMs, maxBorrowMs: 0, freshForMs: 250 };
      response.end(JSON.stringify({ kind: "snowflake", layout: spec, policy: now }));
    };
  const ahead: Lie = (number, response) => giveIds(response, [idAt(A_MINUTE_MS, number)]);

  it.each([
    ["changed its policy during the run", 1, 0, []],
    ["has its policy still", 2, 1, ["times"]],
  ])("that %s is checked by its own layout", async (_, change, expected, broken) => {
    const { status, report } = await lied(ahead, ["--mix", "plain"], describing(change));
    expect([status, checksOf(report, "broken")]).toEqual([expected, broken]);
    expect(report.times?.aheadMaxMs).toBe((change === 1 ? 2 * A_MINUTE_MS : 1000) + 5000);
  });
});

describe.concurrent("the process", () => {
  /** As descriptor 3 of the shell: a pipe whose reader has ended. */
  const CLOSED_PIPE = 'exec 3> >(:); wait "$!"';
  const right: Lie = (number, response) => giveIds(response, [`${number}`]);

  it("counts a request as not sent if it got no file descriptor", {
    tags: ["long"],
  }, async () => {
    // Never answered, so that each request needs a connection of its own.
    await using server = await lyingServer(() => {});
    const args = ["verify", "--url", server.url, ...LOAD, "--timeout-ms", "2000", "--json"];
    const report = reportOf(await runInShell('ulimit -n 60; exec "$@"', args));
    expect(report.failures.map(({ code }) => code).sort()).toEqual(["connect_emfile", "timeout"]);
    for (const { code, definite, indefinite } of report.failures) {
      const [none, all] = code === "timeout" ? [definite, indefinite] : [indefinite, definite];
      expect([none, all > 0]).toEqual([0, true]);
    }
  });

  it.each([
    [
      "--help to a full disk",
      '"$@" > /dev/full',
      ["--help"],
      70,
      /^cannot write to standard output: [^\n]*\n$/,
    ],
    ["--help to a closed pipe", `${CLOSED_PIPE}; "$@" >&3`, ["--help"], 70, /^$/],
    ["bad usage to a full disk", '"$@" 2> /dev/full', ["mint"], 2, /^$/],
  ])("%s ends without a stack trace", async (_, line, args, status, says) => {
    const ended = await runInShell(line, args);
    expect(ended).toEqual({ status, stdout: "", stderr: expect.stringMatching(says) });
  });

  const CALM = ["--rate", "20", "--seconds", "1"];
  /** Long enough for several lines of progress. */
  const TELLING = ["--rate", "20", "--seconds", "3"];
  const ends = async (
    _: string,
    line: string,
    [status, reports]: readonly [number, boolean],
    load: readonly string[] = CALM,
  ) => {
    await using server = await lyingServer(right);
    const args = ["verify", "--url", server.url, "--namespace", "orders", ...load];
    const ended = await runInShell(line, args);
    expect([ended.status, ended.stderr]).toEqual([status, ""]);
    expect(ended.stdout.endsWith("held: every promise that could be checked.\n")).toBe(reports);
  };

  it.each([
    ["its report to a closed pipe", `${CLOSED_PIPE}; "$@" >&3 2> /dev/null`, [70, false]],
    ["its report to a full disk", '"$@" > /dev/full 2> /dev/null', [70, false]],
  ] as const)("%s", ends);

  it.each([
    ["its progress to a full disk: reports all the same", '"$@" 2> /dev/full', [0, true], TELLING],
    [
      "its progress to a closed pipe, with its report",
      `${CLOSED_PIPE}; "$@" >&3 2>&3`,
      [70, false],
      TELLING,
    ],
  ] as const)("%s", { tags: ["long"] }, ends);
});
