/**
 * Pages and files, which need no key. Cloudflare serves the files without the Worker, from the same folder (built by
 * `npm run build:assets`). This code serves pages, and under plain workerd also the files.
 */
import { type Context, Hono } from "hono";
import type { AppEnv } from "../middleware/app-env.ts";
import { methodRefused } from "../reply/methods.ts";

interface Asset {
  /** The file in the folder of assets. */
  readonly file: string;
  readonly type: string;
}

const HTML = "text/html; charset=UTF-8";

/** All assets by path. */
export const ASSETS: Readonly<Record<string, Asset>> = {
  "/": { file: "index.html", type: HTML },
  "/console.js": { file: "console.js", type: "text/javascript; charset=UTF-8" },
  "/console.css": { file: "console.css", type: "text/css; charset=UTF-8" },
  "/icon.svg": { file: "icon.svg", type: "image/svg+xml" },
  "/docs": { file: "docs.html", type: HTML },
  "/docs.js": { file: "docs.js", type: "text/javascript; charset=UTF-8" },
  "/docs.css": { file: "docs.css", type: "text/css; charset=UTF-8" },
  "/openapi.json": { file: "openapi.json", type: "application/json" },
};

export const assets = new Hono<AppEnv>();

for (const [path, asset] of Object.entries(ASSETS)) {
  assets.get(path, (c) => serve(c, asset));
  // These routes are before the access check, so that other methods get 405, not 401.
  assets.all(path, (c) => methodRefused(c, ["GET", "HEAD"]));
}

async function serve(c: Context<AppEnv>, { file, type }: Asset): Promise<Response> {
  const binding: Fetcher | null | undefined = c.env.ASSETS;
  const found = await binding?.fetch(`https://assets/${file}`);
  if (!found?.ok || !found.body) return c.notFound();
  // Plain workerd serves files without types. No-cache, because files may change with each deployment.
  return c.body(found.body, 200, { "content-type": type, "cache-control": "no-cache" });
}
