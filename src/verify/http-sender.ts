import http from "node:http";
import https from "node:https";
import { urlToHttpOptions } from "node:url";
import type { HttpRequest } from "./dialects.ts";
import { type Answer, type Failed, type Malformed, tooLong } from "./outcome.ts";

export interface SenderLimits {
  readonly connections: number;
  /** From sending the request to the end of the answer, in ms. */
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
}

/** An answer, or the outcome without one: a failure is definite if no byte of the request was sent. */
export type Received = Answer | Failed | Malformed;

/**
 * Sends requests over keep-alive connections, without retries. `node:http`, not `fetch`: it takes half the CPU per
 * request, so that latencies contain less of this process's own work.
 */
export class HttpSender {
  /** The URL's parts: to parse it for each request was measured to cost a fifth of the CPU. */
  readonly #base: http.RequestOptions;
  readonly #limits: SenderLimits;
  readonly #client: typeof http | typeof https;
  readonly #agent: http.Agent;
  readonly #open = new Set<(code: string) => void>();

  /** `url`: without a trailing slash. */
  constructor(url: string, limits: SenderLimits) {
    const { protocol, hostname, port, path } = urlToHttpOptions(new URL(url));
    const maxSockets = limits.connections;
    this.#limits = limits;
    this.#client = protocol === "https:" ? https : http;
    this.#agent = new this.#client.Agent({ keepAlive: true, maxSockets, scheduling: "lifo" });
    this.#base = { agent: this.#agent, protocol, hostname, port, path: path?.replace(/\/$/, "") };
  }

  send({ path, headers }: HttpRequest): Promise<Received> {
    return new Promise((resolve) => {
      // No compression: the answer is read as it comes, and its length is checked.
      const request = this.#client.request({
        ...this.#base,
        path: `${this.#base.path}${path}`,
        headers: { ...headers, "accept-encoding": "identity" },
      });
      let wasSent = false;
      const end = (received: Received): void => {
        clearTimeout(timer);
        this.#open.delete(abandon);
        resolve(received);
      };
      const lose = (code: string): void => end({ kind: wasSent ? "indefinite" : "definite", code });
      const abandon = (code: string): void => {
        lose(code);
        request.destroy();
      };
      const late = (): void => abandon(wasSent ? "timeout" : "connect_timeout");
      const timer = setTimeout(late, this.#limits.timeoutMs);
      this.#open.add(abandon);
      request.on("socket", (socket) => {
        // A socket that is destroyed by now was never connected: no file descriptor was free.
        if (!socket.connecting) wasSent = !socket.destroyed;
        else {
          socket.once(this.#client === https ? "secureConnect" : "connect", () => {
            wasSent = true;
          });
        }
      });
      request.on("error", (error) => lose(wasSent ? "connection_broken" : connectCodeOf(error)));
      request.on("response", (response) => {
        read(response, this.#limits.answerBytesMax).then(end, () => lose("body_cut"));
      });
      request.end();
    });
  }

  /** Ends open requests, as lost with `code`. */
  abandon(code: string): void {
    for (const abandon of this.#open) abandon(code);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Reads an answer. Rejects if it broke off. */
async function read(response: http.IncomingMessage, bytesMax: number): Promise<Received> {
  const { headers, statusCode: status = 0 } = response;
  const shard = headers["edgeflake-shard"];
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    bytes += chunk.length;
    // To leave the loop closes the connection.
    if (bytes > bytesMax)
      return tooLong(status, Buffer.concat(chunks).toString("utf8", 0, bytesMax));
  }
  return {
    kind: "answer",
    status,
    text: Buffer.concat(chunks).toString("utf8"),
    shard: typeof shard === "string" ? shard : undefined,
    delimited: (headers["content-length"] ?? headers["transfer-encoding"]) !== undefined,
  };
}

function connectCodeOf(error: Error): string {
  const code = "code" in error ? `${error.code}` : "FAILED";
  return code === "ECONNREFUSED" ? "connection_refused" : `connect_${code.toLowerCase()}`;
}
