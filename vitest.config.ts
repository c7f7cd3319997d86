import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Tests fail requests on purpose: the service's own log lines would bury what matters.
    onConsoleLog: (line) => !line.startsWith('{"requestId"'),
    reporters: ["default", "./test/support/closing-line-reporter.ts"],
    projects: [
      {
        test: { name: "core", include: ["test/{core,openapi}/**/*.test.ts"], testTimeout: 60_000 },
      },
      { test: { name: "architecture", include: ["test/architecture/**/*.test.ts"] } },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: { ACCESS: "open" },
              // The real limiter with a limit that tests can reach.
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
    ],
  },
});
