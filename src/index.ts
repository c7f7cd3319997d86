import { worker } from "./http/worker.ts";

export { Leases } from "./objects/leases.ts";
export { Registry } from "./objects/registry.ts";
export { Segments } from "./objects/segments.ts";
export { Shard } from "./objects/shard.ts";
export { Edgeflake } from "./rpc.ts";
export default worker;
