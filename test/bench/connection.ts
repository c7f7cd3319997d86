import { connect, type Socket } from "node:net";
import { ResponseReader } from "./response-reader.ts";

/** Each piece is read before the next comes, so one buffer does for all connections. */
const received = Buffer.alloc(262_144);

export interface ConnectionEvents {
  readonly onAnswer: (connection: Connection, status: number) => void;
  readonly onBytes: (count: number) => void;
  /** `outstanding`: a request was without its answer. */
  readonly onLost: (connection: Connection, outstanding: boolean) => void;
}

/** A connection that sends the same request again and again, one at a time. */
export class Connection {
  readonly #socket: Socket;
  readonly #request: Buffer;
  readonly #events: ConnectionEvents;
  #outstanding = false;
  #closed = false;
  /** When the request that is outstanding was, or should have been, sent: performance.now(). */
  sentMs = 0;

  private constructor(port: number, request: Buffer, events: ConnectionEvents) {
    this.#request = request;
    this.#events = events;
    const reader = new ResponseReader((status) => {
      this.#outstanding = false;
      events.onAnswer(this, status);
    });
    const callback = (count: number): boolean => {
      events.onBytes(count);
      try {
        reader.read(received, count);
      } catch (error) {
        this.#socket.destroy(error instanceof Error ? error : undefined);
      }
      return true;
    };
    this.#socket = connect({ port, host: "127.0.0.1", onread: { buffer: received, callback } });
    this.#socket.setNoDelay(true);
  }

  static open(port: number, request: Buffer, events: ConnectionEvents): Promise<Connection> {
    const connection = new Connection(port, request, events);
    const socket = connection.#socket;
    return new Promise((resolve, reject) => {
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        // What broke it does not matter: "close" follows.
        socket.on("error", () => {});
        socket.once("close", () => connection.#lost());
        resolve(connection);
      });
    });
  }

  send(sentMs: number): void {
    this.sentMs = sentMs;
    this.#outstanding = true;
    this.#socket.write(this.#request);
  }

  close(): void {
    this.#closed = true;
    this.#socket.destroy();
  }

  #lost(): void {
    if (!this.#closed) this.#events.onLost(this, this.#outstanding);
  }
}
