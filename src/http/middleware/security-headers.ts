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

/** Answers of numbers and text for programs: the headers below mean nothing for them, and cost as much as an ID. */
const ISSUING_PATHS = /^\/(?:v1\/(?:ids|blocks)|api|tinyid)\//;

/** Secure headers, for a page or for any other answer but those that issue. */
export const secure = createMiddleware((c, next) => {
  if (ISSUING_PATHS.test(c.req.path)) return next();
  return PAGES.includes(c.req.path) ? securePage(c, next) : secureAnswer(c, next);
});
