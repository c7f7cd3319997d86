/** All routes of the dialects, and the response of each to a token. */
import { env } from "cloudflare:workers";
import { ADMIN_KEY, type Answer, ask, CLOSED } from "./admin.ts";

/** The bindings of a deployment with open access. */
export const OPEN: Env = { ...env };

/** The routes that issue, for a segment and a snowflake namespace; TinyID's outcome is in the body. */
export const issuing = (segment = "segment", snowflake = "default") => [
  `/api/segment/get/${segment}?`,
  `/api/snowflake/get/${snowflake}?`,
  `/tinyid/id/nextId?bizType=${segment}&`,
  `/tinyid/id/nextIdSimple?bizType=${segment}&`,
  `/tinyid/id/nextSegmentId?bizType=${segment}&`,
  `/tinyid/id/nextSegmentIdSimple?bizType=${segment}&`,
];
export const ISSUING = issuing();
export const ROUTES = [...ISSUING, "/decodeSnowflakeId?snowflakeId=1&"];

/** The result in a response of any dialect: served, or Leaf's message, TinyID's code with text, or nothing. */
export function saidBy({ text, status, body }: Answer): string {
  if (status === 500) return String(body.message);
  if (typeof body.code === "number")
    return body.code === 200 ? "served" : `${body.code} ${body.message}`;
  return text === "" ? "" : "served";
}

/** The result of each route for a token, with ACCESS=keys; `null`: without a token. */
export async function said(token: string | null, routes = ROUTES, bindings = CLOSED) {
  const query = token === null ? "" : new URLSearchParams({ token });
  const answers: Record<string, string> = {};
  for (const route of routes) {
    const answer = await ask(`${route}${query}`, { key: null, bindings });
    answers[route] = saidBy(answer);
  }
  return answers;
}

/** The same of every route of a kind. */
export function all(leaf: string, json: string, simple: string, routes = ROUTES) {
  return Object.fromEntries(
    routes.map((route) => {
      if (!route.startsWith("/tinyid")) return [route, leaf];
      return [route, route.includes("Simple") ? simple : json];
    }),
  );
}
export const served = (routes = ROUTES) => all("served", "served", "served", routes);
export const refused = (routes = ROUTES) =>
  all("Result{id=-2, status=EXCEPTION}", "5 token is error", "", routes);

/** Invalid tokens; null: no token. */
export const MALFORMED: [title: string, token: string | null][] = [
  ["missing", null],
  ["empty", ""],
  ["wrong", "nonsense-token"],
  ["with spaces", "a malformed token"],
  ["with a line break", 'a\n{"code":200}'],
  ["shaped like a key", `efk_${"A".repeat(38)}`],
  ["nearly the admin key", `${ADMIN_KEY}x`],
  ["the admin key as a header would have it", `Bearer ${ADMIN_KEY}`],
  ["10 kB long", "t".repeat(10_000)],
  ["not ASCII", "tökèn-€"],
];
