/** The token of a lease: whoever has it has the lease. */

/** Random bits of a token: 192, beyond any guess. */
const TOKEN_BYTES = 24;

/** A new random token. */
export function newToken(): string {
  return crypto
    .getRandomValues(new Uint8Array(TOKEN_BYTES))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

/** In constant time, so that no guess is told how much of it is right. */
export function isToken(given: string, token: string): boolean {
  const encoder = new TextEncoder();
  const one = encoder.encode(given);
  const other = encoder.encode(token);
  return one.length === other.length && crypto.subtle.timingSafeEqual(one, other);
}
