/** Load on a server: autocannon as fast as the answers come, or node:http at a fixed rate. */
import { Agent, get } from "node:http";
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import { setImmediate as turn } from "node:timers/promises";
import autocannon from "autocannon";

export interface Job {
  readonly url: string;
  /** Asked for in turn; each connection has paths of its own if there are enough. */
  readonly paths: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly requests: number;
}

/** Requested paths: the next load continues after the last one. */
const offsets = new Map<readonly string[], number>();
/** How often autocannon looks whether all answers are there, in ms. */
const LOOK_MS = 5;
/** Broken connections that end a run. */
const BROKEN_MAX = 100;
/** They wait for each other only when the service or the machine stalls. */
const CONNECTIONS_AT_RATE = 16;
/** How long an answer may take, in s: a text stream on a busy machine needs some. */
const ANSWER_MAX_S = 30;

export class Load {
  served = 0;
  /** Refused, or without an answer; known at the end. */
  failed = 0;
  /** In µs. */
  readonly latencies = createHistogram();
  readonly done: Promise<void>;
  #lastAnswerMs = 0;
  readonly #startMs = performance.now();

  constructor({ url, paths, headers = {}, connections, requests }: Job) {
    let connection = 0;
    const offset = offsets.get(paths) ?? 0;
    offsets.set(paths, offset + requests);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.done = promise;
    const options = {
      url,
      connections,
      amount: requests,
      sampleInt: LOOK_MS,
      bailout: BROKEN_MAX,
      timeout: ANSWER_MAX_S,
      setupClient: (client: autocannon.Client) => {
        const start = offset + connection;
        const own = paths.length > 1 ? Math.ceil(requests / connections) : 1;
        const turns = Array.from({ length: own }, (_, turn) => start + turn * connections);
        client.setRequests(
          turns.map((turn) => ({ method: "GET", path: paths[turn % paths.length], headers })),
        );
        connection += 1;
      },
    };
    const run = autocannon(options, (error) => {
      this.failed = requests - this.served;
      if (error || this.served === 0) reject(error ?? new Error(`${url}${paths[0]}: none served`));
      else resolve();
    });
    run.on("response", (_client, status, _bytes, latencyMs) => {
      this.#lastAnswerMs = performance.now();
      if (status === 200) this.served += 1;
      this.latencies.record(Math.max(1, Math.round(latencyMs * 1000)));
    });
  }

  /** From its start to the last answer. */
  get elapsedMs(): number {
    return this.#lastAnswerMs - this.#startMs;
  }
}

/** Sends at this rate, even if responses are slow; a latency counts from the planned time of its request. */
export async function loadAtRate(
  url: string,
  perSecond: number,
  requests: number,
): Promise<RecordableHistogram> {
  const latencies = createHistogram();
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_AT_RATE });
  const answers: Promise<void>[] = [];
  const startMs = performance.now();
  for (let sent = 0; sent < requests; sent += 1) {
    const dueMs = startMs + (sent * 1000) / perSecond;
    // A timer would be a millisecond late or more.
    while (performance.now() < dueMs) await turn();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const request = get(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      response.resume().on("end", () => {
        latencies.record(Math.max(1, Math.round((performance.now() - dueMs) * 1000)));
        resolve();
      });
    });
    request.on("error", reject);
    answers.push(promise);
  }
  await Promise.all(answers);
  agent.destroy();
  return latencies;
}
