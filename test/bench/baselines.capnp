# The Workers that ours is compared with; ours runs on the project's own workerd.capnp.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .baselines),
    (name = "data", disk = (writable = true)),
  ],
  sockets = [
    (name = "http", address = "127.0.0.1:0", http = (), service = "main"),
    (name = "bare", address = "127.0.0.1:0", http = (), service = (name = "main", entrypoint = "bare")),
  ],
);

const baselines :Workerd.Worker = (
  modules = [(name = "baselines.js", esModule = embed "../../dist/bench/baselines.js")],
  compatibilityDate = "2026-10-23",
  durableObjectNamespaces = [
    (className = "Noop", uniqueKey = "bench-Noop", enableSql = true),
    (className = "Counter", uniqueKey = "bench-Counter", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "data"),
  bindings = [
    (name = "NOOP", durableObjectNamespace = "Noop"),
    (name = "COUNTER", durableObjectNamespace = "Counter"),
  ],
);
