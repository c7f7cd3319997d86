import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { secureHeaders } from "hono/secure-headers";

/** What has a meaning for an answer that is no page: it may be sniffed, framed or fetched in plain text. */
const secureAnswer = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  // The policy above says so already.
  xFrameOptions: false,
  crossOriginResourcePolicy: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  referrerPolicy: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/** Pages: scripts, styles and requests of this host only, nothing inline. */
const securePage = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    connectSrc: ["'self'"],
    imgSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  xXssProtection: false,
});

const PAGES: readonly string[] = ["/", "/docs"];

/** Secure headers, for a page or for any other answer. */
export const secure = createMiddleware((c, next) =>
  PAGES.includes(c.req.path) ? securePage(c, next) : secureAnswer(c, next),
);

/** The headers that `secure` sets on what is no page, asked of it once: for answers that do not go through it. */
export const SECURE_HEADERS: ReadonlyMap<string, string> = new Map(
  (
    await new Hono()
      .use(secureAnswer)
      .all("/", (c) => c.body(null))
      .request("/")
  ).headers,
);
