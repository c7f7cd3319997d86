/** Cloudflare's location hints for objects, and the nearest of them to a place. */

export const REGIONS = [
  "wnam",
  "enam",
  "sam",
  "weur",
  "eeur",
  "apac",
  "apac-ne",
  "apac-se",
  "oc",
  "afr",
  "me",
] as const;
export type Region = (typeof REGIONS)[number];

/** A place on earth, in degrees. */
export interface GeoPoint {
  readonly latitude: number;
  readonly longitude: number;
}

/** A large data-centre city in the middle of each region; only distances to each other matter. */
const CENTRES: Readonly<Record<Region, GeoPoint>> = {
  wnam: { latitude: 37.4, longitude: -122 },
  enam: { latitude: 39, longitude: -77.5 },
  sam: { latitude: -23.5, longitude: -46.6 },
  weur: { latitude: 50.1, longitude: 4.4 },
  eeur: { latitude: 52.2, longitude: 21 },
  apac: { latitude: 22.3, longitude: 114.2 },
  "apac-ne": { latitude: 35.7, longitude: 139.7 },
  "apac-se": { latitude: 1.4, longitude: 103.8 },
  oc: { latitude: -33.9, longitude: 151.2 },
  afr: { latitude: -26.2, longitude: 28 },
  me: { latitude: 25.2, longitude: 55.3 },
};

/** A point near the middle of a region. */
export function centreOf(region: Region): GeoPoint {
  return CENTRES[region];
}

/**
 * The region nearest to a point by great circle; the first region if the point is unknown. Throws RangeError if
 * `regions` is empty.
 */
export function nearestRegion(regions: readonly Region[], point: GeoPoint | undefined): Region {
  const [first] = regions;
  if (first === undefined) throw new RangeError("cannot choose a region from an empty list");
  if (!point) return first;
  return regions.reduce((best, region) =>
    closeness(CENTRES[region], point) > closeness(CENTRES[best], point) ? region : best,
  );
}

/** The cosine of the angle between two points: 1 for the same point, less with distance. */
function closeness(one: GeoPoint, other: GeoPoint): number {
  const radians = Math.PI / 180;
  const [latitude, otherLatitude] = [one.latitude * radians, other.latitude * radians];
  const longitudes = (one.longitude - other.longitude) * radians;
  return (
    Math.sin(latitude) * Math.sin(otherLatitude) +
    Math.cos(latitude) * Math.cos(otherLatitude) * Math.cos(longitudes)
  );
}
