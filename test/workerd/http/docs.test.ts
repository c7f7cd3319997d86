/** The OpenAPI document and its page. */
import { inspectRoutes } from "hono/dev";
import { describe, expect, it } from "vitest";
import { PROBLEM_KINDS } from "../../../src/core/problem.ts";
import { app } from "../../../src/http/app.ts";
import { ASSETS } from "../../../src/http/routes/assets.ts";
import { ask, CLOSED } from "../../support/admin.ts";
import { checkAnswer, DOCUMENT } from "../../support/contract.ts";

describe("the document", () => {
  it("has every route of the router, and no other", () => {
    // Pages and their files are no part of the API, but for its own.
    const pages = Object.keys(ASSETS).filter((path) => !(path in DOCUMENT.paths));
    const routed = inspectRoutes(app)
      .filter(({ isMiddleware, method, path }) => {
        return !isMiddleware && method !== "ALL" && !pages.includes(path);
      })
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    const documented = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.sort()).toEqual([...new Set(routed)].sort());
    expect(documented.length).toBeGreaterThan(15);
  });

  it("is served without a key, also without ADMIN_KEY", async () => {
    for (const bindings of [undefined, { ...CLOSED, ADMIN_KEY: undefined } as unknown as Env]) {
      const asked = bindings ? { key: null, bindings } : { key: null };
      const { status, body } = await ask("/openapi.json", asked);
      expect([status, body.openapi]).toEqual([200, "3.1.0"]);
    }
  });

  it("is the contract that responses in tests are checked against", async () => {
    const wrong = Response.json({ ids: "1" });
    await expect(checkAnswer("GET", "/v1/ids/default", wrong)).rejects.toThrow("not as documented");
    const teapot = Response.json({}, { status: 418 });
    await expect(checkAnswer("GET", "/v1/ids/default", teapot)).rejects.toThrow("no such status");
  });
});

it("a page without its file is not found, as a problem", async () => {
  const bindings = { ...CLOSED, ASSETS: undefined } as unknown as Env;
  const { status, body } = await ask("/docs", { key: null, bindings });
  expect([status, body.code]).toEqual([404, "not_found"]);
});

describe("the page", () => {
  it("shows every route and an anchor for every code, and loads from no other host", async () => {
    const { status, text, headers } = await ask("/docs", { key: null });
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
    expect(headers.get("content-security-policy")).toContain("style-src 'self'");
    expect(text).not.toMatch(/<style|<script(?! type="module" src="\/docs\.js"><\/script>)|style=/);
    for (const path of Object.keys(DOCUMENT.paths)) expect(text).toContain(path);
    for (const code of Object.keys(PROBLEM_KINDS)) expect(text).toContain(`id="${code}"`);
    expect(text).not.toMatch(/(src|href)=["']?(https?:)?\/\//);
    expect(text).not.toMatch(/@import|url\(/);
  });
});
