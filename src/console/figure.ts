/** A number for people, in whole. */
export function figure(value: number | bigint): string {
  const whole = typeof value === "bigint" ? value : Math.round(value);
  return whole.toLocaleString("en-US");
}
