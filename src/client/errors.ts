import type { ParameterError } from "../core/binding.ts";
import { fieldsOf, textOf } from "../core/json.ts";

/**
 * Why a call failed. `code` is one of the HTTP API's, or one of the client's own: `network` (no whole answer came),
 * `timeout` (timeoutMs went by), `malformed` (the answer is not Edgeflake's).
 */
export class EdgeflakeError extends Error {
  override readonly name = "EdgeflakeError";
  declare readonly code: string;
  /** True: refused before anything was granted. False: IDs may have been skipped, never doubled. */
  declare readonly definite: boolean;
  /** The HTTP status; undefined where no answer came. */
  declare readonly status: number | undefined;
  /** When to try again, in ms; undefined where time does not help. */
  declare readonly retryAfterMs: number | undefined;
  /** Names the request in the service's log. */
  declare readonly requestId: string | undefined;
  /** Every rejected parameter, with what it takes. */
  declare readonly errors: readonly ParameterError[] | undefined;

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

/** The error that a problem says; a status and a Retry-After of HTTP are of use if it says none. */
export function errorOf(problem: unknown, status?: number, retryAfterMs?: number): EdgeflakeError {
  const said = fieldsOf(problem);
  return new EdgeflakeError(textOf(said.detail) ?? `The service answered ${status}.`, {
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
