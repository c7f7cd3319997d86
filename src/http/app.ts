import { Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { requestId } from "hono/request-id";
import { access } from "./access.ts";
import type { AppEnv } from "./app-env.ts";
import { blocks } from "./blocks.ts";
import { decode } from "./decode.ts";
import { ids } from "./ids.ts";
import { logError } from "./log.ts";
import { problem } from "./problem.ts";
import { range } from "./range.ts";
import { shards } from "./shards.ts";

/** The HTTP service. */
export const app = new Hono<AppEnv>();

app.use(requestId());
app.get("/healthz", (c) => {
  c.header("cache-control", "no-store");
  return c.json({ status: "ok" });
});
app.use(access);
app.use(
  methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) => {
      // Routes that take POST issue or create: there is no HEAD of those.
      const allow = methods.filter((method) => method !== "HEAD" || !methods.includes("POST"));
      const detail = `This path takes ${allow.join(", ")}.`;
      return problem(c, { code: "method_not_allowed", detail, allow });
    },
  }),
);
app.route("/v1/ids", ids);
app.route("/v1/blocks", blocks);
app.route("/v1/decode", decode);
app.route("/v1/range", range);
app.route("/v1/shards", shards);

app.notFound((c) => problem(c, { code: "not_found", detail: "There is no such path." }));
app.onError((error, c) => {
  logError(c, error);
  const detail = "The request failed inside; the log has a line with its requestId.";
  return problem(c, { code: "internal", detail, definite: false });
});
