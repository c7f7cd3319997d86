import { Connection } from "./connection.ts";
import { Histogram } from "./histogram.ts";
import type { LoadJob, LoadResult } from "./load-messages.ts";
import { coreWaitMsOf, gain } from "./proc.ts";

/** How long the last answers may take, after the time for sending. */
const DRAIN_MS = 20_000;

/** One job's run. */
export class LoadRun {
  readonly #job: LoadJob;
  readonly #request: Buffer;
  readonly #latencies = new Histogram();
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #done = Promise.withResolvers<void>();
  /** Between two requests; 0: the next when one is answered. */
  readonly #spacingMs: number;
  #startMs = 0;
  #lastAnswerMs = 0;
  #sent = 0;
  #served = 0;
  #refused = 0;
  #refusedStatus: number | undefined;
  #broken = 0;
  #bytes = 0;
  #ended = false;

  constructor(job: LoadJob) {
    this.#job = job;
    this.#spacingMs = job.perSecond === undefined ? 0 : 1000 / job.perSecond;
    const headers = Object.entries({ host: `127.0.0.1:${job.port}`, ...job.headers });
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
    this.#request = Buffer.from(`GET ${job.path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  }

  served(): number {
    return this.#served;
  }

  async run(): Promise<LoadResult> {
    await Promise.all(Array.from({ length: this.#job.connections }, () => this.#connect()));
    const cpuBefore = process.cpuUsage();
    const coreWaitBeforeMs = coreWaitMsOf(process.pid);
    this.#startMs = performance.now();
    const late = setTimeout(
      () => this.#done.reject(new Error(`${this.#job.path}: no answer within ${DRAIN_MS} ms`)),
      this.#job.durationMs + DRAIN_MS,
    );
    this.#sendDue();
    if (this.#spacingMs > 0) this.#keepTime();
    try {
      await this.#done.promise;
    } finally {
      clearTimeout(late);
      this.#ended = true;
      for (const connection of this.#connections) connection.close();
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    return {
      elapsedMs: this.#lastAnswerMs - this.#startMs,
      served: this.#served,
      refused: this.#refused,
      refusedStatus: this.#refusedStatus,
      broken: this.#broken,
      bytes: this.#bytes,
      latencyCounts: this.#latencies.counts(),
      cpuMs: (user + system) / 1000,
      coreWaitMs: gain(coreWaitBeforeMs, coreWaitMsOf(process.pid)),
    };
  }

  async #connect(): Promise<void> {
    const connection = await Connection.open(this.#job.port, this.#request, {
      onAnswer: (answered, status) => this.#onAnswer(answered, status),
      onBytes: (count) => {
        this.#bytes += count;
      },
      onLost: (lost, outstanding) => this.#onLost(lost, outstanding),
    });
    if (this.#ended) return connection.close();
    this.#connections.add(connection);
    this.#idle.push(connection);
  }

  /** A timer is a millisecond late or more, so this looks at the clock all the time: the core is its own. */
  #keepTime(): void {
    this.#sendDue();
    const endMs = this.#startMs + this.#job.durationMs;
    if (performance.now() < endMs || this.#idle.length < this.#connections.size) {
      setImmediate(() => this.#keepTime());
    }
  }

  /** Sends what is due on the connections that are free; ends the run where nothing more will be. */
  #sendDue(): void {
    const nowMs = performance.now();
    const endMs = this.#startMs + this.#job.durationMs;
    for (;;) {
      const dueMs = this.#spacingMs > 0 ? this.#startMs + this.#sent * this.#spacingMs : nowMs;
      if (dueMs >= endMs && this.#sent >= this.#job.connections) break;
      if (dueMs > nowMs) return;
      const connection = this.#idle.pop();
      if (!connection) return;
      this.#sent += 1;
      connection.send(dueMs);
    }
    if (this.#idle.length === this.#connections.size) this.#done.resolve();
  }

  #onAnswer(connection: Connection, status: number): void {
    this.#lastAnswerMs = performance.now();
    if (status >= 200 && status < 300) {
      this.#served += 1;
      this.#latencies.add(this.#lastAnswerMs - connection.sentMs);
    } else {
      this.#refused += 1;
      this.#refusedStatus = status;
    }
    this.#idle.push(connection);
    this.#sendDue();
  }

  #onLost(connection: Connection, outstanding: boolean): void {
    this.#connections.delete(connection);
    const idle = this.#idle.indexOf(connection);
    if (idle >= 0) this.#idle.splice(idle, 1);
    if (outstanding) this.#broken += 1;
    this.#connect().then(() => this.#sendDue(), this.#done.reject);
  }
}
