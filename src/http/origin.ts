import * as v from "valibot";
import type { GeoPoint } from "../core/regions.ts";

/** What Cloudflare says of where a request came in; it sends numbers as text. */
const degrees = v.pipe(v.string(), v.nonEmpty(), v.transform(Number), v.finite());
const Origin = v.object({ latitude: degrees, longitude: degrees });

/** Where the request came in; undefined where that is not known, as under plain workerd. */
export function originOf({ cf }: Request): GeoPoint | undefined {
  if (!cf) return undefined;
  const origin = v.safeParse(Origin, cf);
  return origin.success ? origin.output : undefined;
}
