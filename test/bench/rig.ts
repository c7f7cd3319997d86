/** All servers of the HTTP rows, with the namespaces and the key that the rows use. */
import { BATCHES, type HttpRow, ROWS, SERVERS, WIDE } from "./http-rows.ts";
import { type Job, Load } from "./load.ts";
import { pinToCores, Server, type WorkerName } from "./server.ts";
import { makeKey, makeNamespace } from "./service.ts";

const BATCH_SHARDS = 64;
const WORKERS: readonly WorkerName[] = ["baselines", "keys", "open"];

export class Rig {
  /** workerd and the load generator have cores of their own. */
  readonly pinned: boolean;
  readonly #servers: ReadonlyMap<string, Server>;
  #authorization = "";

  private constructor(servers: ReadonlyMap<string, Server>) {
    this.#servers = servers;
    this.pinned = pinToCores([...servers.values()]);
  }

  static async start(): Promise<Rig> {
    const servers = new Map<string, Server>();
    for (const worker of WORKERS) {
      for (const name of SERVERS[worker]) servers.set(name, await Server.start(worker));
    }
    const rig = new Rig(servers);
    await rig.#prepare();
    return rig;
  }

  server(name: string): Server {
    const server = this.#servers.get(name);
    if (!server) throw new Error(`no server ${name}`);
    return server;
  }

  jobOf({ server, socket, paths, connections }: HttpRow): Omit<Job, "requests"> {
    const headers = server === "keys" ? { authorization: this.#authorization } : {};
    return { url: this.server(server).url(socket), paths, connections, headers };
  }

  async stop(): Promise<void> {
    for (const server of this.#servers.values()) await server.stop();
  }

  async #prepare(): Promise<void> {
    this.#authorization = `Bearer ${await makeKey(this.server("keys"))}`;
    await makeNamespace(this.server("batches"), BATCHES, BATCH_SHARDS);
    for (const shards of [1, 64, 1024]) {
      await makeNamespace(this.server(`shards${shards}`), WIDE, shards, true);
    }
    for (const count of [100, 1000]) {
      const server = this.server(`namespaces${count}`);
      const names = Array.from({ length: count }, (_, index) => `n${index}`);
      await Promise.all(names.map((name) => makeNamespace(server, name, 1, true)));
    }
    // All are asked once, which makes their objects: each waits for the disk.
    const rows = [ROWS.pinned64, ROWS.pinned1024, ROWS.turn100, ROWS.turn1000];
    const asked = (row: HttpRow) => new Load({ ...this.jobOf(row), requests: row.paths.length });
    await Promise.all(rows.map((row) => asked(row).done));
  }
}
