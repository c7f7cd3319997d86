import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { methodNotAllowed } from "hono/method-not-allowed";
import { problemOfError } from "../service/issue/problem-of-error.ts";
import { leaf } from "./dialects/leaf.ts";
import { tinyId } from "./dialects/tinyid.ts";
import { access } from "./middleware/access.ts";
import type { AppEnv } from "./middleware/app-env.ts";
import { crossOrigin } from "./middleware/cors.ts";
import { plainHost } from "./middleware/host.ts";
import { logFailures } from "./middleware/log.ts";
import { namedRequest } from "./middleware/request-id.ts";
import { secure } from "./middleware/security-headers.ts";
import { surroundingsOf } from "./middleware/surroundings.ts";
import { ISSUING_METHODS, methodRefused } from "./reply/methods.ts";
import { problem } from "./reply/problem.ts";
import { assets } from "./routes/assets.ts";
import { blocks } from "./routes/blocks.ts";
import { decode } from "./routes/decode.ts";
import { ids } from "./routes/ids.ts";
import { serveIssuing } from "./routes/issuing.ts";
import { keys } from "./routes/keys.ts";
import { leases } from "./routes/leases.ts";
import { namespaces } from "./routes/namespaces.ts";
import { range } from "./routes/range.ts";
import { shards } from "./routes/shards.ts";

const NO_SUCH_PATH =
  "Unknown path. Routes begin with /v1/ids, /v1/blocks, /v1/decode, /v1/range, /v1/shards, /v1/namespaces, /v1/leases or /v1/keys, /api or /tinyid/id (see /docs), without a trailing slash.";

/** The HTTP service. */
export const app = new Hono<AppEnv>();

app.use(crossOrigin);
for (const route of [ids, blocks]) {
  app.on([...ISSUING_METHODS, "ALL"], `/v1/${route.route}/:namespace`, (c) =>
    serveIssuing(route, c.req.param("namespace"), c.req.raw, surroundingsOf(c)),
  );
}
app.use(namedRequest);
app.use(logFailures);
app.use(plainHost);
app.use(secure);
app.get("/healthz", (c) => {
  c.header("cache-control", "no-store");
  return c.json({ status: "ok" });
});
// This route is before the access check, so that other methods get 405, not 401.
app.all("/healthz", (c) => methodRefused(c, ["GET", "HEAD"]));
app.route("/", assets);
app.route("/", leaf);
app.route("/tinyid/id", tinyId);
app.use(access);
app.use(
  methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) => {
      // Routes with POST issue or create something, so they have no HEAD.
      const allow = methods.filter((method) => method !== "HEAD" || !methods.includes("POST"));
      return methodRefused(c, allow);
    },
  }),
);
app.route("/v1/decode", decode);
app.route("/v1/range", range);
app.route("/v1/shards", shards);
app.route("/v1/namespaces", namespaces);
app.route("/v1/leases", leases);
app.route("/v1/keys", keys);

app.notFound((c) => problem(c, { code: "not_found", detail: NO_SUCH_PATH }));
app.onError((error, c) => {
  // Hono's own middleware throws finished responses.
  if (error instanceof HTTPException) return error.getResponse();
  return problem(c, problemOfError(error));
});
