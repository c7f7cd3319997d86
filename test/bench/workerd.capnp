# Everything that the bench compares, in one process: a socket for each worker.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "bare", worker = (modules = [(name = "bare.js", esModule = embed "../../dist/bench/bare.js")], compatibilityDate = .date)),
    (name = "honoHello", worker = (modules = [(name = "hello.js", esModule = embed "../../dist/bench/hono-hello.js")], compatibilityDate = .date)),
    (name = "honoJson", worker = (modules = [(name = "json.js", esModule = embed "../../dist/bench/hono-json.js")], compatibilityDate = .date)),
    (name = "honoNoop", worker = (
      modules = [(name = "noop.js", esModule = embed "../../dist/bench/hono-noop.js")],
      compatibilityDate = .date,
      durableObjectNamespaces = [(className = "Noop", uniqueKey = "bench-Noop", enableSql = true)],
      durableObjectStorage = (localDisk = "data"),
      bindings = [(name = "NOOP", durableObjectNamespace = "Noop")],
    )),
    (name = "rowPerId", worker = (
      modules = [(name = "row.js", esModule = embed "../../dist/bench/row-per-id.js")],
      compatibilityDate = .date,
      durableObjectNamespaces = [(className = "Counter", uniqueKey = "bench-Counter", enableSql = true)],
      durableObjectStorage = (localDisk = "data"),
      bindings = [(name = "COUNTER", durableObjectNamespace = "Counter")],
    )),
    (name = "open", worker = .open),
    (name = "keys", worker = .keys),
    (name = "data", disk = (writable = true)),
  ],
  sockets = [
    (name = "bare", address = "127.0.0.1:0", http = (), service = "bare"),
    (name = "honoHello", address = "127.0.0.1:0", http = (), service = "honoHello"),
    (name = "honoJson", address = "127.0.0.1:0", http = (), service = "honoJson"),
    (name = "honoNoop", address = "127.0.0.1:0", http = (), service = "honoNoop"),
    (name = "rowPerId", address = "127.0.0.1:0", http = (), service = "rowPerId"),
    (name = "open", address = "127.0.0.1:0", http = (), service = "open"),
    (name = "keys", address = "127.0.0.1:0", http = (), service = "keys"),
  ],
);

const date :Text = "2026-10-23";

const open :Workerd.Worker = (
  modules = [(name = "index.js", esModule = embed "../../dist/worker/index.js")],
  compatibilityDate = .date,
  durableObjectNamespaces = [
    (className = "Shard", uniqueKey = "open-Shard", enableSql = true),
    (className = "Segments", uniqueKey = "open-Segments", enableSql = true),
    (className = "Leases", uniqueKey = "open-Leases", enableSql = true),
    (className = "Registry", uniqueKey = "open-Registry", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "data"),
  bindings = [
    (name = "SHARD", durableObjectNamespace = "Shard"),
    (name = "SEGMENTS", durableObjectNamespace = "Segments"),
    (name = "LEASES", durableObjectNamespace = "Leases"),
    (name = "REGISTRY", durableObjectNamespace = "Registry"),
    (name = "CORS_ORIGINS", text = ""),
    (name = "ACCESS", text = "open"),
  ],
);

const keys :Workerd.Worker = (
  modules = [(name = "index.js", esModule = embed "../../dist/worker/index.js")],
  compatibilityDate = .date,
  durableObjectNamespaces = [
    (className = "Shard", uniqueKey = "keys-Shard", enableSql = true),
    (className = "Segments", uniqueKey = "keys-Segments", enableSql = true),
    (className = "Leases", uniqueKey = "keys-Leases", enableSql = true),
    (className = "Registry", uniqueKey = "keys-Registry", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "data"),
  bindings = [
    (name = "SHARD", durableObjectNamespace = "Shard"),
    (name = "SEGMENTS", durableObjectNamespace = "Segments"),
    (name = "LEASES", durableObjectNamespace = "Leases"),
    (name = "REGISTRY", durableObjectNamespace = "Registry"),
    (name = "CORS_ORIGINS", text = ""),
    (name = "ACCESS", text = "keys"),
    (name = "ADMIN_KEY", text = "the-admin-key-of-the-bench"),
  ],
);
