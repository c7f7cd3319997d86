import { MAX_ID } from "../core/limits.ts";

/** 2^63 − 1 has 19 digits. */
const CANONICAL = /^(?:0|[1-9]\d{0,18})$/;

/** An ID as the service writes it: 0 to 2^63 − 1, no sign, no leading zero. Undefined for every other text. */
export function readDecimal(text: string): bigint | undefined {
  if (!CANONICAL.test(text)) return undefined;
  const id = BigInt(text);
  return id <= MAX_ID ? id : undefined;
}

/** All of them, or undefined where one is not canonical. */
export function readDecimals(texts: readonly unknown[]): bigint[] | undefined {
  const ids: bigint[] = [];
  for (const text of texts) {
    const id = typeof text === "string" ? readDecimal(text) : undefined;
    if (id === undefined) return undefined;
    ids.push(id);
  }
  return ids;
}
