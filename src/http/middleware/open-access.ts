/**
 * Protection of ACCESS=open, which serves people on their own machine or network, from web pages in their browsers.
 *
 *  - A page can resolve its own host name to this machine (DNS rebinding), and is then of the same origin. So only
 *    `localhost`, IP addresses and the hosts in OPEN_HOSTS are served.
 *  - A page of another site can send requests whose answers it can't read (`<img>`, forms). Browsers mark them
 *    `Sec-Fetch-Site: cross-site`, or send another `Origin`. Such requests may not issue or change anything, unless
 *    CORS_ORIGINS lists their origin. Over plain http to another machine, browsers send neither header with a GET.
 */

const IP_LITERAL = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/;

/** A cache of the last allowed authority (host and port), which is usually the same. */
let lastServed = "";

/**
 * The reason why open access rejects a request; undefined if it does not. `issues`: the request issues or changes
 * something.
 */
export function openRefusal(
  { url, headers }: Pick<Request, "headers" | "url">,
  env: Env,
  issues: boolean,
): string | undefined {
  const authorityAt = url.indexOf("//") + 2;
  const authority = url.slice(authorityAt, url.indexOf("/", authorityAt));
  if (authority !== lastServed) {
    const { hostname } = new URL(url);
    if (!isServed(hostname, env)) {
      return `ACCESS=open serves localhost, IP addresses and the hosts in OPEN_HOSTS; add ${hostname} there, or use ACCESS=keys.`;
    }
    lastServed = authority;
  }
  const origin = headers.get("origin");
  if (!issues || (origin !== null && isListed(env.CORS_ORIGINS, origin))) return undefined;
  const site = headers.get("sec-fetch-site");
  const isForeign =
    site === null ? origin !== null && origin !== new URL(url).origin : site === "cross-site";
  if (!isForeign) return undefined;
  return "ACCESS=open issues and changes nothing for web pages of other sites; list their origin in CORS_ORIGINS.";
}

/** Whether a comma-separated variable contains a text; false if the variable is not set. */
export function isListed(variable: string | null | undefined, text: string): boolean {
  return (variable ?? "").split(",").some((one) => one.trim() === text);
}

function isServed(hostname: string, { OPEN_HOSTS }: Env): boolean {
  return hostname === "localhost" || IP_LITERAL.test(hostname) || isListed(OPEN_HOSTS, hostname);
}
