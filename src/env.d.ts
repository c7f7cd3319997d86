/** Bindings that a deployment may add in wrangler.toml; the others are in worker-configuration.d.ts. */
interface Env {
  /** Analytics Engine dataset: one data point per issuing request. */
  readonly ANALYTICS?: AnalyticsEngineDataset;
  /** The zone in which /decodeSnowflakeId prints times, ±HH:MM. Default: Leaf's own, +08:00. */
  readonly LEAF_UTC_OFFSET?: string | null;
}
