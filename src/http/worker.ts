import { app } from "./app.ts";
import { blocks } from "./routes/blocks.ts";
import { ids } from "./routes/ids.ts";
import { serveIssuing } from "./routes/issuing.ts";

/** The usual URL of a request for IDs. The router serves all other URLs, unusual forms of this one included. */
const ISSUING_URL = /^https?:\/\/[^/?#]+\/v1\/(ids|blocks)\/([\w.-]+)(?:[?#]|$)/;

/**
 * The Worker's HTTP handler. Serves requests for IDs directly, and others by the router. With CORS, the router serves
 * all, to add the headers.
 */
export const worker = {
  fetch(request, env, ctx) {
    const [, route, name] = (!env.CORS_ORIGINS && ISSUING_URL.exec(request.url)) || [];
    if (name === undefined) return app.fetch(request, env, ctx);
    const surroundings = { env, waitUntil: (work: Promise<unknown>) => ctx.waitUntil(work) };
    return serveIssuing(route === "ids" ? ids : blocks, name, request, surroundings);
  },
} satisfies ExportedHandler<Env>;
