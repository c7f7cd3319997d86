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
  readonly cause?: unknown;
}

/** The error that a problem says, over HTTP (`detail` its text) or RPC (`message`). */
export function errorOf(
  problem: unknown,
  status: number | undefined,
  retryAfterMs: number | undefined,
): EdgeflakeError {
  const said = fieldsOf(problem);
  const code = textOf(said.code) ?? (status === undefined ? "network" : "malformed");
  const detail = textOf(said.detail) ?? textOf(said.message);
  return new EdgeflakeError(detail ?? `The service answered ${status}.`, {
    code,
    definite: said.definite === true,
    status: status ?? numberOf(said.status),
    retryAfterMs: numberOf(said.retryAfterMs) ?? retryAfterMs,
    requestId: textOf(said.requestId),
    ...(problem instanceof Error && { cause: problem }),
  });
}

/** The fields of an object, an Error's message among them; none of anything else. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) return {};
  return value instanceof Error ? { ...value, message: value.message } : { ...value };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
