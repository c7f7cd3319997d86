/** `npm run build:assets`: builds the pages and files that the service serves with the API into dist/assets. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { docsPage } from "../openapi/reference/page.ts";

const SOURCE = path.join(import.meta.dirname, "..");
const FOLDER = path.join(SOURCE, "../dist/assets");

/**
 * Headers of files that Cloudflare serves without the Worker. Pages get theirs from http/middleware/security-headers.
 */
const HEADERS = `/*
  Content-Security-Policy: default-src 'none'; frame-ancestors 'none'
  X-Content-Type-Options: nosniff
  Strict-Transport-Security: max-age=15552000; includeSubDomains
  Cache-Control: no-cache
`;

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const put = (name: string, text: string): void => writeFileSync(path.join(FOLDER, name), text);
const document: unknown = JSON.parse(
  readFileSync(path.join(SOURCE, "openapi/openapi.json"), "utf8"),
);
const { outputFiles } = await build({
  entryPoints: [
    { in: path.join(SOURCE, "console/main.tsx"), out: "console" },
    { in: path.join(SOURCE, "console/console.css"), out: "console" },
    { in: path.join(SOURCE, "openapi/browser/docs.ts"), out: "docs" },
    { in: path.join(SOURCE, "openapi/docs.css"), out: "docs" },
  ],
  outdir: FOLDER,
  bundle: true,
  minify: true,
  write: false,
  format: "esm",
  // Browsers of about the last two years.
  target: ["chrome123", "firefox120", "safari17.5"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
});
for (const { path: file, contents } of outputFiles) writeFileSync(file, contents);
for (const name of ["index.html", "icon.svg"]) {
  cpSync(path.join(SOURCE, "console", name), path.join(FOLDER, name));
}
put("_headers", HEADERS);
put("openapi.json", JSON.stringify(document));
put("docs.html", await docsPage(document));
