# The production build under plain workerd. `npm run serve` starts it.
# The uniqueKeys give objects the same IDs as under `wrangler dev`. --directory-path sets the folders of "data" and "assets".
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .edgeflake),
    (name = "data", disk = (writable = true)),
    (name = "assets", disk = ()),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8790", http = (), service = "main")],
);

const edgeflake :Workerd.Worker = (
  modules = [(name = "index.js", esModule = embed "dist/worker/index.js")],
  compatibilityDate = "2026-10-23",
  durableObjectNamespaces = [
    (className = "Shard", uniqueKey = "edgeflake-Shard", enableSql = true),
    (className = "Segments", uniqueKey = "edgeflake-Segments", enableSql = true),
    (className = "Leases", uniqueKey = "edgeflake-Leases", enableSql = true),
    (className = "Registry", uniqueKey = "edgeflake-Registry", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "data"),
  bindings = [
    (name = "SHARD", durableObjectNamespace = "Shard"),
    (name = "SEGMENTS", durableObjectNamespace = "Segments"),
    (name = "LEASES", durableObjectNamespace = "Leases"),
    (name = "REGISTRY", durableObjectNamespace = "Registry"),
    (name = "ASSETS", service = "assets"),
    (name = "ADMIN_KEY", fromEnvironment = "ADMIN_KEY"),
    (name = "CORS_ORIGINS", fromEnvironment = "CORS_ORIGINS"),
    (name = "OPEN_HOSTS", fromEnvironment = "OPEN_HOSTS"),
    (name = "LEAF_UTC_OFFSET", fromEnvironment = "LEAF_UTC_OFFSET"),
    (name = "ACCESS", fromEnvironment = "ACCESS"),
  ],
);
