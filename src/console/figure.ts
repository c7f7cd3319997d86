/** A number for people, in whole. */
export function figure(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
