import { app } from "./http/app.ts";

export { Shard } from "./objects/shard.ts";
export default app;
