/** Formats rows as lines of text. Columns are as wide as their widest cell; those in `right` are right-aligned. */
export function textTable(
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, { length }] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, length);
  }
  return rows.map((row) => {
    const cells = row.map((cell, at) =>
      right.includes(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
    );
    return cells.join("  ").trimEnd();
  });
}

/** A number with thousands separators. */
export function figure(value: number, digits = 0): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString("en-US", options);
}
