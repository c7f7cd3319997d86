/** The product as deployed and published, for simulated worlds: bundled, and evaluated once for each process. */
export { Edgeflake as Client } from "../../../src/client/edgeflake.ts";
export { Minter } from "../../../src/client/minter.ts";
export { worker } from "../../../src/http/worker.ts";
export { Leases } from "../../../src/objects/leases.ts";
export { Registry } from "../../../src/objects/registry.ts";
export { Segments } from "../../../src/objects/segments.ts";
export { Shard } from "../../../src/objects/shard.ts";
export { Edgeflake as Entrypoint } from "../../../src/rpc.ts";
