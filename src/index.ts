import { app } from "./http/app.ts";

export { Registry } from "./objects/registry.ts";
export { Shard } from "./objects/shard.ts";
export default app;
