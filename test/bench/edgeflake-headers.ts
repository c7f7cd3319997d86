/** The headers of an answer of Edgeflake's, for baselines that are to send as many. */
export const EDGEFLAKE_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "edgeflake-shard": "0",
};
