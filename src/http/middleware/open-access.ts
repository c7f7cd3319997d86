/**
 * What ACCESS=open serves: people on their own machine or network, not the web pages that they look at.
 *
 *  - A page can give its own name the address of this machine (DNS rebinding), and is then of the same origin. So only
 *    `localhost`, IP addresses and the hosts in OPEN_HOSTS are served.
 *  - A page of another site can send requests whose answers it can't read (`<img>`, forms). Browsers mark them
 *    `Sec-Fetch-Site: cross-site`, or name another `Origin`: they may not issue or change anything, unless CORS_ORIGINS
 *    lists their origin. To plain http at an address that is not of this machine, browsers send neither with a GET.
 */

const IP_LITERAL = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/;

/** The last authority (host and port) that was found to be served: it is most often the same. */
let lastServed = "";

/** Why open access does not serve a request; undefined if it does. `issues`: it issues or changes something. */
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

/** Whether a comma-separated variable lists that text; false if the variable is not set. */
export function isListed(variable: string | null | undefined, text: string): boolean {
  return (variable ?? "").split(",").some((one) => one.trim() === text);
}

function isServed(hostname: string, { OPEN_HOSTS }: Env): boolean {
  return hostname === "localhost" || IP_LITERAL.test(hostname) || isListed(OPEN_HOSTS, hostname);
}
