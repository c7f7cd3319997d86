/** JSON for people: short lists and objects on one line. */

const LINE_CHARS_MAX = 48;

export function jsonText(value: unknown, indent = ""): string {
  const line = JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, " ")
    .replace(/\[ /g, "[")
    .replace(/ \]/g, "]");
  if (typeof value !== "object" || value === null) return line;
  if (indent.length + line.length <= LINE_CHARS_MAX) return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const parts = Object.entries(value).map(([name, part]) => {
    const label = Array.isArray(value) ? "" : `${JSON.stringify(name)}: `;
    return `${inner}${label}${jsonText(part, inner)}`;
  });
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}
