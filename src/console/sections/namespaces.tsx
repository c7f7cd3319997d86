/** The section Namespaces: lists, creates, changes and retires namespaces. */
import { addressOf, type Route } from "../route.ts";

export function Namespaces(_props: { route: Route }) {
  return (
    <p>
      <a href={addressOf("design")}>Create a namespace</a>
    </p>
  );
}
