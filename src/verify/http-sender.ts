import http from "node:http";
import https from "node:https";
import type { HttpRequest } from "./dialects.ts";
import type { Answer } from "./outcome.ts";

/** The result of a request on the network. */
export type Received =
  | { readonly kind: "answer"; readonly answer: Answer }
  /** Longer than answerBytesMax; `start` is its first answerBytesMax bytes. */
  | { readonly kind: "too_long"; readonly status: number; readonly start: string }
  /** No complete answer. `definite`: no byte of the request was sent. */
  | { readonly kind: "lost"; readonly code: string; readonly definite: boolean };

export interface SenderLimits {
  readonly connections: number;
  /** From sending the request to the end of the answer, in ms. */
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
}

/**
 * Sends requests over keep-alive connections, without retries. `node:http`, not `fetch`: it takes half the CPU per
 * request, so that latencies contain less of this process's own work.
 */
export class HttpSender {
  readonly #base: URL;
  readonly #limits: SenderLimits;
  readonly #agent: http.Agent;
  readonly #open = new Set<Exchange>();

  constructor(base: URL, limits: SenderLimits) {
    const settings = {
      keepAlive: true,
      maxSockets: limits.connections,
      scheduling: "lifo",
    } as const;
    this.#base = base;
    this.#limits = limits;
    this.#agent = isSecure(base) ? new https.Agent(settings) : new http.Agent(settings);
  }

  /** Sends a request. `done` is called once, never before `send` returns. */
  send({ path, headers }: HttpRequest, done: (received: Received) => void): void {
    const { protocol, hostname, port, pathname } = this.#base;
    const request = (isSecure(this.#base) ? https : http).request({
      agent: this.#agent,
      protocol,
      // Brackets around an IPv6 address are part of the URL only.
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port,
      path: pathname.replace(/\/*$/, "") + path,
      // No compression: the answer is read as it comes, and its length is checked.
      headers: { ...headers, "accept-encoding": "identity" },
    });
    const exchange = new Exchange(request, isSecure(this.#base), this.#limits, (received) => {
      this.#open.delete(exchange);
      done(received);
    });
    this.#open.add(exchange);
    request.end();
  }

  /** Ends open requests, as lost with `code`. */
  abandon(code: string): void {
    for (const exchange of [...this.#open]) exchange.abandon(code);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** One request and its answer. */
class Exchange {
  readonly #request: http.ClientRequest;
  readonly #limits: SenderLimits;
  readonly #done: (received: Received) => void;
  readonly #timer: NodeJS.Timeout;
  #wasSent = false;
  #isOver = false;

  constructor(
    request: http.ClientRequest,
    secure: boolean,
    limits: SenderLimits,
    done: (received: Received) => void,
  ) {
    this.#request = request;
    this.#limits = limits;
    this.#done = done;
    this.#timer = setTimeout(() => this.#late(), limits.timeoutMs);
    request.on("socket", (socket) => {
      // A socket that is destroyed by now was never connected: no file descriptor was free.
      if (!socket.connecting) this.#wasSent = !socket.destroyed;
      else {
        socket.once(secure ? "secureConnect" : "connect", () => {
          this.#wasSent = true;
        });
      }
    });
    request.on("error", (error) => this.#lost(codeOf(error, this.#wasSent)));
    request.on("response", (response) => this.#read(response));
  }

  abandon(code: string): void {
    this.#lost(code);
    this.#request.destroy();
  }

  #late(): void {
    this.abandon(this.#wasSent ? "timeout" : "connect_timeout");
  }

  #read(response: http.IncomingMessage): void {
    const { headers, statusCode = 0 } = response;
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= this.#limits.answerBytesMax) return;
      const start = Buffer.concat(chunks).toString("utf8", 0, this.#limits.answerBytesMax);
      this.#over({ kind: "too_long", status: statusCode, start });
      this.#request.destroy();
    });
    // Emitted only if the answer is complete.
    response.on("end", () => {
      const shard = headers["edgeflake-shard"];
      this.#over({
        kind: "answer",
        answer: {
          status: statusCode,
          text: Buffer.concat(chunks).toString("utf8"),
          shard: typeof shard === "string" ? shard : undefined,
          delimited:
            headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined,
        },
      });
    });
    // The answer broke off; "close" follows.
    response.on("error", () => {});
    response.on("close", () => this.#lost("body_cut"));
  }

  #lost(code: string): void {
    this.#over({ kind: "lost", code, definite: !this.#wasSent });
  }

  #over(received: Received): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#done(received);
  }
}

function codeOf(error: Error, wasSent: boolean): string {
  if (wasSent) return "connection_broken";
  const code = "code" in error ? `${error.code}` : "";
  if (code === "ECONNREFUSED") return "connection_refused";
  return code === "" ? "connect_failed" : `connect_${code.toLowerCase()}`;
}

function isSecure({ protocol }: URL): boolean {
  return protocol === "https:";
}
