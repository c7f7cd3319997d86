import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const projectFolder = fileURLToPath(new URL("../..", import.meta.url));

/** Bundles the Workers that ours is held against, minified as ours is. */
export function buildBaselines(): void {
  buildSync({
    absWorkingDir: projectFolder,
    entryPoints: globSync("test/bench/workers/*.ts", { cwd: projectFolder }),
    outdir: "dist/bench",
    bundle: true,
    format: "esm",
    minify: true,
    external: ["cloudflare:workers"],
    logLevel: "error",
  });
}
