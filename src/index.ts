import { app } from "./http/app";

export { Shard } from "./objects/shard";
export default app;
