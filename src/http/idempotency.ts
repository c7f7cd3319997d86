import type { ParameterError } from "../core/binding.ts";
import { IDEMPOTENCY_KEY_CHARS_MAX } from "../core/limits.ts";

/** The header of a request that may be repeated (draft-ietf-httpapi-idempotency-key-header). */
export const IDEMPOTENCY_KEY = "idempotency-key";

const FORMAT = new RegExp(`^[!-~]{1,${IDEMPOTENCY_KEY_CHARS_MAX}}$`);

/** What is wrong with a key; nothing where there is none. */
export function idempotencyErrors(key: string | undefined): ParameterError[] {
  if (key === undefined || FORMAT.test(key)) return [];
  const detail = `takes 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters`;
  return [{ parameter: IDEMPOTENCY_KEY, detail }];
}
