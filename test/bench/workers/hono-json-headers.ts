/** As hono-json, with the headers that an answer of Edgeflake's has. */
import { Hono } from "hono";
import { EDGEFLAKE_HEADERS } from "../edgeflake-headers.ts";

const app = new Hono();
app.get("/", (c) => c.json({ ids: ["249811737438601216"] }, 200, EDGEFLAKE_HEADERS));

export default app;
