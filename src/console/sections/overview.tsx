/** The section Overview: what Edgeflake is, a live ID, the namespaces, and what needs attention. */
import type { Route } from "../route.ts";

export function Overview(_props: { route: Route }) {
  return <p>Unique 64-bit IDs in rough order of time.</p>;
}
