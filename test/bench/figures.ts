/** Medians, figures and tables. */
import { textTable } from "../../src/verify/text-table.ts";

/** Of the known values; undefined if all are unknown. */
export function medianOf(values: readonly (number | undefined)[]): number | undefined {
  const sorted = values.filter((value) => value !== undefined).toSorted((a, b) => a - b);
  const high = sorted[Math.floor(sorted.length / 2)];
  const low = sorted[Math.ceil(sorted.length / 2) - 1];
  return high === undefined || low === undefined ? undefined : (low + high) / 2;
}

/** Small figures with enough digits to compare; a dash for none. */
export function figure(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "–";
  const digits = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 0.1 ? 2 : 3;
  return value.toLocaleString("en-US", {
    minimumFractionDigits: Number.isInteger(value) ? 0 : digits,
    maximumFractionDigits: digits,
  });
}

/** Figures flush right. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly (string | number | undefined)[])[],
): string {
  const right = titles.flatMap((_, at) =>
    rows.every((row) => typeof row[at] !== "string") ? [at] : [],
  );
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === "string" ? cell : figure(cell))),
  );
  return textTable([titles, ...cells], right).join("\n");
}
