import type { ComponentChildren } from "preact";

/**
 * One root for a component with state and several roots. Without it, hono/jsx/dom removes and inserts the roots when it
 * renders the component before a sibling, and they lose focus and scroll position. It has no box of its own.
 */
export function SingleRoot({ children }: { children: ComponentChildren }) {
  return <div class="one">{children}</div>;
}
