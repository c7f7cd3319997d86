/** A table of plain text. */
export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
}

export function textTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string {
  const widths = columns.map(({ title }, at) =>
    Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align }, at) => {
        const [cell = "", width = 0] = [cells[at], widths[at]];
        return align === "left" ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "─".repeat(width)).join("  ");
  return [line(columns.map(({ title }) => title)), rule, ...rows.map(line)].join("\n");
}

/** With a comma per thousand; small figures with enough digits to compare, a dash for none. */
export function figure(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "–";
  const digits = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 0.1 ? 2 : 3;
  return value.toLocaleString("en-US", {
    minimumFractionDigits: Number.isInteger(value) && value >= 10 ? 0 : digits,
    maximumFractionDigits: digits,
  });
}
