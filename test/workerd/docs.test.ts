/** The OpenAPI document and its page. */
import { inspectRoutes } from "hono/dev";
import { describe, expect, it } from "vitest";
import { app } from "../../src/http/app.ts";
import { PROBLEM_KINDS } from "../../src/http/problem.ts";
import { ask } from "../support/admin.ts";
import { checkAnswer, DOCUMENT } from "../support/contract.ts";

describe("the document", () => {
  it("has every route of the router, and no other", () => {
    const routed = inspectRoutes(app)
      .filter(({ isMiddleware, method }) => !isMiddleware && method !== "ALL")
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    const documented = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.sort()).toEqual([...new Set(routed)].sort());
    expect(documented.length).toBeGreaterThan(15);
  });

  it("is served without a key, also where the deployment is closed", async () => {
    for (const bindings of [undefined, { ACCESS: "keys" } as Env]) {
      const asked = bindings ? { key: null, bindings } : { key: null };
      const { status, body } = await ask("/openapi.json", asked);
      expect([status, body.openapi]).toEqual([200, "3.1.0"]);
    }
  });

  it("is what answers in tests are held against", async () => {
    const wrong = Response.json({ ids: "1" });
    await expect(checkAnswer("GET", "/v1/ids/default", wrong)).rejects.toThrow("not as documented");
    const teapot = Response.json({}, { status: 418 });
    await expect(checkAnswer("GET", "/v1/ids/default", teapot)).rejects.toThrow("no such status");
  });
});

describe("the page", () => {
  it("shows every route and an anchor for every code, and asks no other host", async () => {
    const { status, text, headers } = await ask("/docs", { key: null });
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
    for (const path of Object.keys(DOCUMENT.paths)) expect(text).toContain(path);
    for (const code of Object.keys(PROBLEM_KINDS)) expect(text).toContain(`id="${code}"`);
    expect(text).not.toMatch(/(src|href)=["']?(https?:)?\/\//);
    expect(text).not.toMatch(/@import|url\(/);
  });
});
