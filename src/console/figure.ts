/** A number for people, rounded, with thousands separators. */
export function figure(value: number | bigint): string {
  const whole = typeof value === "bigint" ? value : Math.round(value);
  return whole.toLocaleString("en-US");
}
