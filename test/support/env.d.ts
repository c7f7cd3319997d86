/** Bindings that only the tests have (vitest.config.ts). */
declare namespace Cloudflare {
  interface Env {
    readonly TIGHT_LIMITER: RateLimit;
    readonly BOUND_APP: Fetcher;
    readonly MINTING_APP: Fetcher;
    readonly IDS: import("../../src/client/transport.ts").EdgeflakeBinding;
  }
}
