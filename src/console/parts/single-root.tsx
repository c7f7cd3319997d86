import type { Child } from "hono/jsx";

/**
 * One root for a component that has a state of its own and several roots: hono/jsx/dom takes the roots of such a one
 * out and in again where it draws it anew before a sibling, which takes focus and scroll from them. No box of its own.
 */
export function SingleRoot({ children }: { children: Child }) {
  return <div class="one">{children}</div>;
}
