import { app } from "./app.ts";
import { blocks } from "./routes/blocks.ts";
import { ids } from "./routes/ids.ts";
import { serveIssuing } from "./routes/issuing.ts";

/** The URL of a request for IDs, with a plain name. All others are the router's, these too if written otherwise. */
const ISSUING_URL = /^https?:\/\/[^/?#]+\/v1\/(ids|blocks)\/([\w.-]+)(?:[?#]|$)/;

/** The Worker's HTTP: requests for IDs directly, all others by the router, which adds the headers of CORS. */
export const worker = {
  fetch(request, env, ctx) {
    const [, route, name] = (!env.CORS_ORIGINS && ISSUING_URL.exec(request.url)) || [];
    if (name === undefined) return app.fetch(request, env, ctx);
    const surroundings = { env, waitUntil: (work: Promise<unknown>) => ctx.waitUntil(work) };
    return serveIssuing(route === "ids" ? ids : blocks, name, request, surroundings);
  },
} satisfies ExportedHandler<Env>;
