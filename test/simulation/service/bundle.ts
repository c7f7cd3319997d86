/** The product as one text that can be evaluated any number of times, each time with a clock and memory of its own. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { compileFunction } from "node:vm";
import { build, type Plugin } from "esbuild";
import type * as product from "./product.ts";

/** A process gets these from its surroundings, instead of the globals of the same name. */
export interface Surroundings {
  readonly Date: DateConstructor;
  readonly Math: Math;
  readonly performance: { now(): number };
  readonly scheduler: { wait(ms: number, options?: { signal?: AbortSignal }): Promise<void> };
  readonly setTimeout: (run: () => void, ms: number) => unknown;
  readonly clearTimeout: (timer: unknown) => void;
  readonly setInterval: (run: () => void, ms: number) => unknown;
  readonly clearInterval: (timer: unknown) => void;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly crypto: object;
  readonly console: object;
}

export type Product = typeof product;

/** Starts the product in those surroundings. */
export type Evaluate = (surroundings: Surroundings) => Product;

/** A guard taken out: in that file, below src, one text is replaced by another. */
export interface Mutation {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const NAMES = [
  "Date",
  "Math",
  "performance",
  "scheduler",
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "fetch",
  "crypto",
  "console",
] as const satisfies readonly (keyof Surroundings)[];

/** The two classes that the product takes from the platform. */
const PLATFORM = ["DurableObject", "WorkerEntrypoint"]
  .map(
    (name) => `export class ${name} { constructor(ctx, env) { this.ctx = ctx; this.env = env; } }`,
  )
  .join("\n");

/** Features of workerd's engine that Node 24's does not have yet. */
const NEWER = `
  const bytes = Uint8Array.prototype;
  bytes.toHex ??= function () { return Buffer.from(this).toString("hex"); };
  bytes.toBase64 ??= function () { return Buffer.from(this).toString("base64url"); };
`;

/** Bundles the product. Throws if a mutation's text is not in its file exactly once. */
export async function bundleProduct(mutation?: Mutation): Promise<Evaluate> {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, "product.ts")],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "product",
    target: "es2024",
    logLevel: "warning",
    plugins: [platform(), changed(mutation ? [mutation] : [])],
  });
  const [bundle] = outputFiles;
  if (!bundle) throw new Error("nothing was bundled");
  const start = compileFunction(`${NEWER}\n${bundle.text}\nreturn product;`, [...NAMES], {
    filename: "product.js",
  });
  // The bundle of product.ts has its type; the text can't express that.
  return (surroundings) => start(...NAMES.map((name) => surroundings[name])) as Product;
}

function platform(): Plugin {
  return {
    name: "platform",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^cloudflare:workers$/ }, ({ path }) => ({
        path,
        namespace: "platform",
      }));
      onLoad({ filter: /.*/, namespace: "platform" }, () => ({ contents: PLATFORM }));
    },
  };
}

/** Loads files with those changes made. */
function changed(changes: readonly Mutation[]): Plugin {
  return {
    name: "changed",
    setup({ onLoad }) {
      for (const { file, from, to } of changes) {
        const filter = new RegExp(`/src/${file.replaceAll(".", "\\.")}$`);
        onLoad({ filter }, async (loaded) => {
          const [before, after, ...more] = (await readFile(loaded.path, "utf8")).split(from);
          if (before === undefined || after === undefined || more.length > 0) {
            throw new Error(`${file} has not just one "${from}"`);
          }
          return { contents: before + to + after, loader: "ts" };
        });
      }
    },
  };
}
