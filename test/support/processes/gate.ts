/** A way to the service that can be shut, opened again, and led to another one. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Gate {
  readonly url: string;
  /** Connections made so far. */
  readonly count: number;
  /** Drops all connections, and each new one. */
  shut(): void;
  /** Lets all requests through; to `service` from now on, if given. */
  open(service?: string): void;
  close(): Promise<void>;
}

export async function gateTo(first: string): Promise<Gate> {
  let service: string | undefined = first;
  let last = first;
  let count = 0;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const server = createServer((from) => {
    keep(from);
    count += 1;
    if (service === undefined) {
      from.destroy();
      return;
    }
    const { hostname, port } = new URL(service);
    const to = connect(Number(port), hostname);
    keep(to);
    from.pipe(to).pipe(from);
    from.on("close", () => to.destroy());
    to.on("close", () => from.destroy());
  });
  const shut = (): void => {
    service = undefined;
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get count() {
      return count;
    },
    shut,
    open: (next = last) => {
      last = next;
      service = next;
    },
    close: async () => {
      shut();
      server.close();
      await once(server, "close");
    },
  };
}
