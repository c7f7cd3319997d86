import { createMiddleware } from "hono/factory";
import { secureHeaders } from "hono/secure-headers";

/** Headers for responses that are no pages: against sniffing, framing and plain-text requests. */
const secureAnswer = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  // The policy above already covers these.
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

/** Headers for pages: only scripts, styles and requests of this host, and no inline code. */
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

/** Paths with responses for programs. Secure headers have no use there, and cost as much as an ID. */
const ISSUING_PATHS = /^\/(?:v1\/(?:ids|blocks)|api|tinyid)\//;

/** Sets secure headers on all responses except those that issue. */
export const secure = createMiddleware((c, next) => {
  if (ISSUING_PATHS.test(c.req.path)) return next();
  return PAGES.includes(c.req.path) ? securePage(c, next) : secureAnswer(c, next);
});
