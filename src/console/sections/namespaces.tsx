/** The section Namespaces: the list, or one namespace. */
import { NamespaceList } from "../namespace/namespace-list.tsx";
import { NamespacePage } from "../namespace/namespace-page.tsx";
import type { Route } from "../route.ts";

export function Namespaces({ route }: { route: Route }) {
  const [name = ""] = route.parts;
  return name === "" ? <NamespaceList route={route} /> : <NamespacePage name={name} />;
}
