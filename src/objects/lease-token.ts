/** The random token of a lease: a request with it may renew or release the lease. */

/** Random bytes of a token: 192 bits can't be guessed. */
const TOKEN_BYTES = 24;

/** A new random token. */
export function newToken(): string {
  return crypto
    .getRandomValues(new Uint8Array(TOKEN_BYTES))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Compares two tokens in constant time, so that the time reveals nothing about a guess. */
export function isToken(given: string, token: string): boolean {
  const encoder = new TextEncoder();
  const one = encoder.encode(given);
  const other = encoder.encode(token);
  return one.length === other.length && crypto.subtle.timingSafeEqual(one, other);
}
