import { createMiddleware } from "hono/factory";
import { invalidParameters, type Problem } from "../../core/problem.ts";
import { problem } from "../reply/problem.ts";

/** A name or an address, and perhaps a port: nothing else may get into the URL that requests are routed by. */
const PLAIN_HOST = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/** The last host that was found to be plain: it is most often the same. */
let lastPlain = "";

/** Whether the Host header is one. Requests over a service binding may have none: their URL was parsed before. */
export function hasPlainHost({ headers, url }: Pick<Request, "headers" | "url">): boolean {
  const host = headers.get("host");
  if (host === null || host === lastPlain) return true;
  const isPlain = PLAIN_HOST.test(host) && URL.canParse(url);
  if (isPlain) lastPlain = host;
  return isPlain;
}

/** The problem of a request with an invalid Host header. */
export const BAD_HOST: Problem = invalidParameters([
  {
    parameter: "host",
    detail: "must be a host name or an IP address, with an optional port from 1 to 65535",
  },
]);

/** Rejects requests with an invalid Host header. Cloudflare does so itself; plain workerd does not. */
export const plainHost = createMiddleware(async (c, next) => {
  return hasPlainHost(c.req.raw) ? await next() : problem(c, BAD_HOST);
});
