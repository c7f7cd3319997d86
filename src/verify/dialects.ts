/** The servers that can be verified. */
import type { Dialect } from "./dialect.ts";
import { edgeflake } from "./edgeflake-dialect.ts";
import { leaf } from "./leaf-dialect.ts";
import { tinyId, tinyIdSimple } from "./tinyid-dialect.ts";

export const DIALECTS = {
  edgeflake,
  "leaf-snowflake": leaf("snowflake"),
  "leaf-segment": leaf("segment"),
  tinyid: tinyId,
  "tinyid-simple": tinyIdSimple,
} as const satisfies Readonly<Record<string, Dialect>>;

export type DialectName = keyof typeof DIALECTS;

export function isDialectName(text: string): text is DialectName {
  return Object.hasOwn(DIALECTS, text);
}
