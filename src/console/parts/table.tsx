import type { ComponentChildren } from "preact";

export interface Row {
  readonly id: number | string;
  /** The first cell is the heading of the row. */
  readonly cells: readonly ComponentChildren[];
}

/** A cell without a value; a card omits it. */
export const NONE = "–";

/** Explicit, because some browsers forget the roles of a table whose parts are laid out as blocks. */
const ROLE = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  columnHeader: { role: "columnheader" },
  rowHeader: { role: "rowheader" },
  cell: { role: "cell" },
} as const;

/** A list. On a narrow page each row is a card; a table that is still too wide scrolls on its own, also by keyboard. */
export function Table(props: { label: string; headings: readonly string[]; rows: readonly Row[] }) {
  const { label, headings, rows } = props;
  return (
    <section class="wide" tabindex={0} aria-label={label}>
      <table class="cards" aria-label={label} {...ROLE.table}>
        <thead {...ROLE.group}>
          <tr {...ROLE.row}>
            {headings.map((heading) => (
              <th scope="col" key={heading} {...ROLE.columnHeader}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...ROLE.group}>
          {rows.map(({ id, cells: [title, ...cells] }) => (
            <tr key={id} {...ROLE.row}>
              <th scope="row" data-label={headings[0]} {...ROLE.rowHeader}>
                <div>{title}</div>
              </th>
              {cells.map((cell, place) => (
                <td
                  key={headings[place + 1]}
                  class={cell === NONE ? "none" : ""}
                  data-label={headings[place + 1]}
                  {...ROLE.cell}
                >
                  <div>{cell}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
