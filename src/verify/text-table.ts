/** Rows of cells as lines of text; columns are as wide as their widest cell, those of `right` flush right. */
export function textTable(
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  return rows.map((row) =>
    widths
      .map((width, at) => {
        const cell = row[at] ?? "";
        return right.includes(at) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
}

/** With a comma per thousand. */
export function figure(value: number, digits = 0): string {
  return value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
