/** Bindings that a deployment may add in wrangler.toml; the others are in worker-configuration.d.ts. */
interface Env {
  /** Analytics Engine dataset: one data point per issuing request. */
  readonly ANALYTICS?: AnalyticsEngineDataset;
}
