import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** The same as in wrangler.toml. */
const COMPATIBILITY_DATE = "2026-10-23";

/** The objects of the production build. */
const OBJECTS = {
  SHARD: { className: "Shard", useSQLite: true },
  SEGMENTS: { className: "Segments", useSQLite: true },
  LEASES: { className: "Leases", useSQLite: true },
  REGISTRY: { className: "Registry", useSQLite: true },
};

export default defineConfig({
  test: {
    tags: [{ name: "long", description: "Not in `npm test`; `npm run test:all` runs it." }],
    // Vitest would leave one of two cores idle.
    maxWorkers: 2,
    reporters: ["minimal", "./test/support/reporter.ts"],
    projects: [
      {
        test: {
          name: "core",
          include: ["test/{core,console-core,openapi,verify}/**/*.test.ts"],
          // No test here keeps state outside of itself.
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        // Simulated worlds. A seed repeats each.
        test: { name: "worlds", include: ["test/simulation/**/*.test.ts"], testTimeout: 300_000 },
      },
      { test: { name: "architecture", include: ["test/architecture/**/*.test.ts"] } },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: { ACCESS: "open", OPEN_HOSTS: "edgeflake.test" },
              // More Workers, bound to the production build of the first (npm run build).
              serviceBindings: {
                BOUND_APP: "bound-app",
                IDS: { name: "edgeflake-build", entrypoint: "Edgeflake" },
                MINTING_APP: "minting-app",
              },
              workers: [
                {
                  name: "minting-app",
                  modules: [
                    { type: "ESModule", path: "./test/support/minting-app.mjs" },
                    { type: "ESModule", path: "./dist/client/minter.js" },
                  ],
                  modulesRoot: ".",
                  compatibilityDate: COMPATIBILITY_DATE,
                  serviceBindings: { IDS: "edgeflake-open" },
                },
                {
                  name: "edgeflake-open",
                  modules: true,
                  scriptPath: "./dist/worker/index.js",
                  compatibilityDate: COMPATIBILITY_DATE,
                  bindings: { ACCESS: "open", CORS_ORIGINS: "" },
                  durableObjects: OBJECTS,
                },
                {
                  name: "bound-app",
                  modules: true,
                  scriptPath: "./test/support/bound-app.mjs",
                  compatibilityDate: COMPATIBILITY_DATE,
                  serviceBindings: { IDS: { name: "edgeflake-build", entrypoint: "Edgeflake" } },
                },
                {
                  name: "edgeflake-build",
                  modules: true,
                  scriptPath: "./dist/worker/index.js",
                  compatibilityDate: COMPATIBILITY_DATE,
                  bindings: { ACCESS: "keys", CORS_ORIGINS: "" },
                  durableObjects: OBJECTS,
                },
              ],
              // The real limiter, with a limit that tests can reach.
              ratelimits: {
                TIGHT_LIMITER: { namespace_id: "1003", simple: { limit: 1000, period: 60 } },
              },
            },
          }),
        ],
        test: { name: "workerd", include: ["test/workerd/**/*.test.ts"], testTimeout: 60_000 },
      },
      {
        // Real processes, started from the production build (npm run build).
        test: { name: "contract", include: ["test/contract/**/*.test.ts"], testTimeout: 60_000 },
      },
      {
        // Real processes under load, in a group of their own: they would slow other tests down.
        test: {
          name: "crash",
          include: ["test/crash/**/*.test.ts"],
          testTimeout: 180_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // The console in a real browser, with the production build, in a group of its own.
        test: {
          name: "console",
          include: ["test/console/**/*.test.ts"],
          globalSetup: ["test/console/unpack-chromium.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          // Tests mostly wait for pages: all files in parallel take the time of one.
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // Each mutant runs the test that must fail, in a Vitest of its own. Two cores run two at a time.
        test: {
          name: "mutants",
          include: ["test/mutants/**/*.test.ts"],
          testTimeout: 300_000,
          maxConcurrency: 2,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
