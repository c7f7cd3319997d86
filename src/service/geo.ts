import * as v from "valibot";
import type { GeoPoint } from "../core/regions.ts";

/** Degrees: text from Cloudflare, text or a number from RPC callers. */
const degrees = v.pipe(
  v.union([v.pipe(v.string(), v.nonEmpty(), v.transform(Number)), v.number()]),
  v.finite(),
);
const Point = v.object({ latitude: degrees, longitude: degrees });

/** The coordinates in `request.cf` or in a caller's `near`; undefined without them, as under plain workerd. */
export function pointOf(place: unknown): GeoPoint | undefined {
  const point = v.safeParse(Point, place);
  return point.success ? point.output : undefined;
}
