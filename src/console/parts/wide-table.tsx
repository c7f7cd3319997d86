import type { ComponentChildren } from "preact";

/** A table that may be wider than the page: it scrolls on its own, also by keyboard. */
export function WideTable(props: {
  label: string;
  headings: readonly string[];
  children: ComponentChildren;
}) {
  const { label, headings, children } = props;
  return (
    <section class="wide" tabindex={0} aria-label={label}>
      <table aria-label={label}>
        <thead>
          <tr>
            {headings.map((heading) => (
              <th scope="col" key={heading}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
