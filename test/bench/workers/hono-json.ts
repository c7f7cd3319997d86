/** What a route costs that answers one ID's JSON without making an ID. */
import { Hono } from "hono";

const app = new Hono();
app.get("/", (c) => c.json({ ids: ["249811737438601216"] }));

export default app;
