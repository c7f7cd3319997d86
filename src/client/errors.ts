import type { ParameterError } from "../core/binding.ts";
import { fieldsOf, textOf } from "../core/json.ts";

/**
 * The error of a failed call. Its `message` is for people, its `code` for programs.
 *
 * @example
 * ```ts
 * try {
 *   await ids.next();
 * } catch (error) {
 *   if (error instanceof EdgeflakeError && error.code === "shard_saturated") retryIn(error.retryAfterMs);
 *   else throw error;
 * }
 * ```
 */
export class EdgeflakeError extends Error {
  override readonly name = "EdgeflakeError";
  /**
   * A code of the HTTP API, such as `rate_limited`, or one of the package's own: `network` (the connection failed or
   * closed before a complete response), `timeout` (`timeoutMs` is over), `malformed` (an unexpected response), and from
   * a minter `shard_saturated`, `lease_lost` or `closed`.
   */
  declare readonly code: string;
  /** `true`: no ID was granted. `false`: IDs may have been granted and lost; they are never issued again. */
  declare readonly definite: boolean;
  /** The HTTP status; `undefined` if no response came. */
  declare readonly status: number | undefined;
  /** When to retry, in ms from now; `undefined` if the service named no time. */
  declare readonly retryAfterMs: number | undefined;
  /** The ID of the request in the service's log. */
  declare readonly requestId: string | undefined;
  /** Every rejected parameter, with the values allowed; `undefined` if the error is about none. */
  declare readonly errors: readonly ParameterError[] | undefined;

  /**
   * Makes an error. Applications need it only in their own tests.
   *
   * @param message The text for people.
   * @param facts The error's properties; `definite` is `false` unless given.
   */
  constructor(message: string, { cause, ...facts }: ErrorFacts) {
    super(message, { cause });
    // The fields are those of the facts, under the same names.
    Object.assign(this, { definite: false, ...facts });
  }
}

interface ErrorFacts {
  readonly code: string;
  readonly definite?: boolean;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly requestId?: string | undefined;
  readonly errors?: readonly ParameterError[] | undefined;
  readonly cause?: unknown;
}

/** The error of a problem document. `status` and `retryAfterMs` are those of HTTP, if the document has none. */
export function errorOf(problem: unknown, status?: number, retryAfterMs?: number): EdgeflakeError {
  const said = fieldsOf(problem);
  return new EdgeflakeError(textOf(said.detail) ?? `HTTP status ${status}`, {
    code: textOf(said.code) ?? "malformed",
    definite: said.definite === true,
    status: status ?? numberOf(said.status),
    retryAfterMs: numberOf(said.retryAfterMs) ?? retryAfterMs,
    requestId: textOf(said.requestId),
    errors: Array.isArray(said.errors) ? said.errors.filter(isParameterError) : undefined,
  });
}

function isParameterError(value: unknown): value is ParameterError {
  const { parameter, detail } = fieldsOf(value);
  return typeof parameter === "string" && typeof detail === "string";
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
