import type { Child } from "hono/jsx";

/** A table that may be wider than the page: it scrolls by itself, with the keyboard too. */
export function Wide({ label, children }: { label: string; children: Child }) {
  return (
    <section class="wide" tabindex={0} aria-label={label}>
      <table aria-label={label}>{children}</table>
    </section>
  );
}
