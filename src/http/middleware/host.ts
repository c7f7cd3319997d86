import { createMiddleware } from "hono/factory";
import { invalidParameters, type Problem } from "../../core/problem.ts";
import { problem } from "../reply/problem.ts";

/**
 * A host name or an address, with an optional port. Requests are routed by their URL, so it must have no other text.
 */
const PLAIN_HOST = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/** A cache of the last valid host, which is usually the same. */
let lastPlain = "";

/**
 * Whether the Host header is valid or absent. Requests over a service binding may have none: their URL is already
 * parsed.
 */
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
