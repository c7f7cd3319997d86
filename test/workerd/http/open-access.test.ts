/** ACCESS=open: for people on their own machine, not for the web pages that they look at. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { worker } from "../../../src/http/worker.ts";
import { useClock } from "../../support/clock.ts";

useClock();

interface Sent {
  readonly host?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly bindings?: Partial<Env>;
}

async function open(
  path: string,
  { host = "localhost:8787", method = "GET", headers = {}, bindings = {} }: Sent = {},
): Promise<Response> {
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://${host}${path}`, {
    method,
    headers,
  });
  const context = createExecutionContext();
  const settings = { ...env, ACCESS: "open", OPEN_HOSTS: "", ...bindings };
  const response = await worker.fetch(request, settings, context);
  await waitOnExecutionContext(context);
  return response;
}

const ISSUES: readonly [method: string, path: string][] = [
  ["GET", "/v1/ids/segment"],
  ["POST", "/v1/ids/segment"],
  ["GET", "/v1/ids/default?count=2"],
  ["GET", "/v1/blocks/segment"],
  ["PUT", "/v1/namespaces/pages"],
  ["PATCH", "/v1/namespaces/pages"],
  ["DELETE", "/v1/namespaces/pages"],
  ["POST", "/v1/leases/default"],
  ["GET", "/api/segment/get/segment"],
  ["GET", "/api/snowflake/get/default"],
];

it.each(["localhost", "127.0.0.1:8787", "192.168.1.5", "[::1]:8787", "0.0.0.0"])(
  "serves the host %s",
  async (host) => {
    expect((await open("/v1/ids/default", { host })).status).toBe(200);
    expect((await open("/v1/decode/default/1", { host })).status).toBe(200);
  },
);

it.each(["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "localhost."])(
  "rejects the host %s, which a page can point at this machine",
  async (host) => {
    for (const path of ["/v1/ids/default", "/v1/decode/default/1", "/v1/keys", "/v1/namespaces"]) {
      const response = await open(path, { host });
      expect(response.status).toBe(403);
      expect(await response.text()).toContain(`add ${host} there`);
    }
    expect((await open("/api/segment/get/segment", { host })).status).toBe(500);
    expect(await (await open("/tinyid/id/nextIdSimple?bizType=segment", { host })).text()).toBe("");
    expect((await open("/healthz", { host })).status).toBe(200);
  },
);

it("serves hosts that OPEN_HOSTS lists", async () => {
  const bindings = { OPEN_HOSTS: "ids.internal, edgeflake" };
  for (const host of ["ids.internal", "edgeflake:8790"]) {
    expect((await open("/v1/ids/default", { host, bindings })).status).toBe(200);
  }
  expect((await open("/v1/ids/default", { host: "ids.internal" })).status).toBe(403);
});

it.each(ISSUES)(
  "issues and changes nothing for pages of other sites: %s %s",
  async (method, path) => {
    const before = await (await open("/v1/ids/segment")).json<{ ids: string[] }>();
    const headers = { "sec-fetch-site": "cross-site" };
    const response = await open(path, { method, headers });
    expect(response.status).toBe(path.startsWith("/api") ? 500 : 403);
    const after = await (await open("/v1/ids/segment")).json<{ ids: string[] }>();
    expect(Number(after.ids[0])).toBe(Number(before.ids[0]) + 1);
  },
);

it.each(["same-origin", "same-site", "none"])("issues for %s requests", async (site) => {
  const headers = { "sec-fetch-site": site };
  expect((await open("/v1/ids/default", { headers })).status).toBe(200);
});

it("issues nothing for pages if the browser sends only another Origin", async () => {
  const post = (origin: string, host: string) =>
    open("/v1/ids/default", { method: "POST", host, headers: { origin } });
  expect((await post("http://evil.example", "192.168.1.5:8790")).status).toBe(403);
  expect((await post("null", "192.168.1.5:8790")).status).toBe(403);
  expect((await post("http://192.168.1.5:8790", "192.168.1.5:8790")).status).toBe(200);
});

it("issues for pages of the origins that CORS_ORIGINS lists", async () => {
  const headers = { "sec-fetch-site": "cross-site", origin: "https://app.example" };
  const bindings = { CORS_ORIGINS: "https://app.example" };
  expect((await open("/v1/ids/default", { headers, bindings })).status).toBe(200);
  expect((await open("/v1/ids/default", { headers })).status).toBe(403);
});

it("answers reads of pages of other sites, which can't see the response", async () => {
  const headers = { "sec-fetch-site": "cross-site" };
  expect((await open("/v1/decode/default/1", { headers })).status).toBe(200);
});

it("creates no API keys, because they would outlast open access", async () => {
  const response = await open("/v1/keys", { method: "POST" });
  expect(response.status).toBe(403);
  expect(await response.text()).toContain("ACCESS=open needs no API keys");
});
