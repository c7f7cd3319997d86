# Everything that the bench compares, in one process: a socket for each worker, and a worker for what would leave
# garbage to the others, since each isolate collects its own.
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
    (name = "honoBatch", worker = (
      modules = [(name = "noop.js", esModule = embed "../../dist/bench/hono-noop.js")],
      compatibilityDate = .date,
      durableObjectNamespaces = [(className = "Noop", uniqueKey = "bench-batch-Noop", enableSql = true)],
      durableObjectStorage = (localDisk = "data"),
      bindings = [(name = "NOOP", durableObjectNamespace = "Noop")],
    )),
    (name = "honoJsonHeaders", worker = (modules = [(name = "json.js", esModule = embed "../../dist/bench/hono-json-headers.js")], compatibilityDate = .date)),
    (name = "honoNoopHeaders", worker = (
      modules = [(name = "noop.js", esModule = embed "../../dist/bench/hono-noop-headers.js")],
      compatibilityDate = .date,
      durableObjectNamespaces = [(className = "Noop", uniqueKey = "bench-headers-Noop", enableSql = true)],
      durableObjectStorage = (localDisk = "data"),
      bindings = [(name = "NOOP", durableObjectNamespace = "Noop")],
    )),
    (name = "fresh", worker = .fresh),
    (name = "strict", worker = .strict),
    (name = "batches", worker = .batches),
    (name = "keys", worker = .keys),
    (name = "data", disk = (writable = true)),
  ],
  sockets = [
    (name = "bare", address = "127.0.0.1:0", http = (), service = "bare"),
    (name = "honoHello", address = "127.0.0.1:0", http = (), service = "honoHello"),
    (name = "honoJson", address = "127.0.0.1:0", http = (), service = "honoJson"),
    (name = "honoNoop", address = "127.0.0.1:0", http = (), service = "honoNoop"),
    (name = "rowPerId", address = "127.0.0.1:0", http = (), service = "rowPerId"),
    (name = "honoBatch", address = "127.0.0.1:0", http = (), service = "honoBatch"),
    (name = "honoJsonHeaders", address = "127.0.0.1:0", http = (), service = "honoJsonHeaders"),
    (name = "honoNoopHeaders", address = "127.0.0.1:0", http = (), service = "honoNoopHeaders"),
    (name = "fresh", address = "127.0.0.1:0", http = (), service = "fresh"),
    (name = "strict", address = "127.0.0.1:0", http = (), service = "strict"),
    (name = "batches", address = "127.0.0.1:0", http = (), service = "batches"),
    (name = "keys", address = "127.0.0.1:0", http = (), service = "keys"),
  ],
);

const date :Text = "2026-10-23";

const edgeflake :List(Workerd.Worker.Module) = [
  (name = "index.js", esModule = embed "../../dist/worker/index.js"),
];

const open :List(Workerd.Worker.Binding) = [
  (name = "SHARD", durableObjectNamespace = "Shard"),
  (name = "SEGMENTS", durableObjectNamespace = "Segments"),
  (name = "LEASES", durableObjectNamespace = "Leases"),
  (name = "REGISTRY", durableObjectNamespace = "Registry"),
  (name = "CORS_ORIGINS", text = ""),
  (name = "ACCESS", text = "open"),
];

const closed :List(Workerd.Worker.Binding) = [
  (name = "SHARD", durableObjectNamespace = "Shard"),
  (name = "SEGMENTS", durableObjectNamespace = "Segments"),
  (name = "LEASES", durableObjectNamespace = "Leases"),
  (name = "REGISTRY", durableObjectNamespace = "Registry"),
  (name = "CORS_ORIGINS", text = ""),
  (name = "ACCESS", text = "keys"),
  (name = "ADMIN_KEY", text = "the-admin-key-of-the-bench"),
];

const fresh :Workerd.Worker = (
  modules = .edgeflake,
  compatibilityDate = .date,
  durableObjectNamespaces = [
    (className = "Shard", uniqueKey = "fresh-Shard", enableSql = true),
    (className = "Segments", uniqueKey = "fresh-Segments", enableSql = true),
    (className = "Leases", uniqueKey = "fresh-Leases", enableSql = true),
    (className = "Registry", uniqueKey = "fresh-Registry", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "data"),
  bindings = .open,
);

const strict :Workerd.Worker = (
  modules = .edgeflake,
  compatibilityDate = .date,
  durableObjectNamespaces = [
    (className = "Shard", uniqueKey = "strict-Shard", enableSql = true),
    (className = "Segments", uniqueKey = "strict-Segments", enableSql = true),
    (className = "Leases", uniqueKey = "strict-Leases", enableSql = true),
    (className = "Registry", uniqueKey = "strict-Registry", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "data"),
  bindings = .open,
);

const batches :Workerd.Worker = (
  modules = .edgeflake,
  compatibilityDate = .date,
  durableObjectNamespaces = [
    (className = "Shard", uniqueKey = "batches-Shard", enableSql = true),
    (className = "Segments", uniqueKey = "batches-Segments", enableSql = true),
    (className = "Leases", uniqueKey = "batches-Leases", enableSql = true),
    (className = "Registry", uniqueKey = "batches-Registry", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "data"),
  bindings = .open,
);

const keys :Workerd.Worker = (
  modules = .edgeflake,
  compatibilityDate = .date,
  durableObjectNamespaces = [
    (className = "Shard", uniqueKey = "keys-Shard", enableSql = true),
    (className = "Segments", uniqueKey = "keys-Segments", enableSql = true),
    (className = "Leases", uniqueKey = "keys-Leases", enableSql = true),
    (className = "Registry", uniqueKey = "keys-Registry", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "data"),
  bindings = .closed,
);
