import * as v from "valibot";
import type { GeoPoint } from "../core/regions.ts";

/** Cloudflare sends degrees as text, callers of the RPC methods as numbers too. */
const degrees = v.pipe(
  v.union([v.pipe(v.string(), v.nonEmpty(), v.transform(Number)), v.number()]),
  v.finite(),
);
const Point = v.object({ latitude: degrees, longitude: degrees });

/** The point in a `request.cf` or a pair of degrees; undefined if there is none, as under plain workerd. */
export function pointOf(place: unknown): GeoPoint | undefined {
  const point = v.safeParse(Point, place);
  return point.success ? point.output : undefined;
}
