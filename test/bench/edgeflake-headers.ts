/** The headers of an answer of Edgeflake's, for baselines that are to send as many. */
import { SECURE_HEADERS } from "../../src/http/secure.ts";

export const EDGEFLAKE_HEADERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SECURE_HEADERS),
  "cache-control": "no-store",
  "server-timing": 'total;dur=0;desc="Total Response Time"',
  "x-request-id": "0123456789abcdef0123456789abcdef",
  "edgeflake-shard": "0",
};
