/**
 * Why a call failed. `code` is one of the HTTP API's, or one of the client's own: `network` (no whole answer came),
 * `timeout` (timeoutMs went by), `malformed` (the answer is not Edgeflake's).
 */
export class EdgeflakeError extends Error {
  override readonly name = "EdgeflakeError";
  readonly code: string;
  /** True: refused before anything was granted. False: IDs may have been skipped, never doubled. */
  readonly definite: boolean;
  /** The HTTP status; absent where no answer came. */
  readonly status?: number;
  /** When to try again, in ms; absent where time does not help. */
  readonly retryAfterMs?: number;
  /** Names the request in the service's log. */
  readonly requestId?: string;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.definite = facts.definite ?? false;
    if (facts.status !== undefined) this.status = facts.status;
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs;
    if (facts.requestId !== undefined) this.requestId = facts.requestId;
  }
}

interface ErrorFacts {
  readonly code: string;
  readonly definite?: boolean | undefined;
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
