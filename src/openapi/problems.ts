/** Problem responses of operations. */
import { PROBLEM_KINDS, type ProblemCode } from "../core/problem.ts";
import { ref, type Schema } from "./shapes.ts";
import { NOTES } from "./texts.ts";

export const READING: readonly ProblemCode[] = [
  "invalid_parameter",
  "unknown_namespace",
  "registry_unavailable",
];
export const WRITING: readonly ProblemCode[] = [
  "invalid_parameter",
  "invalid_body",
  "body_too_large",
  "unsupported_media_type",
  "registry_unavailable",
];
export const ISSUING: readonly ProblemCode[] = [
  "invalid_parameter",
  "invalid_body",
  "unknown_namespace",
  "layout_conflict",
  "namespace_retired",
  "rate_limited",
  "timestamp_exhausted",
  "clock_before_epoch",
  "clock_behind",
  "clock_disagreement",
  "exhausted",
  "idempotency_conflict",
  "shard_saturated",
  "shard_overloaded",
  "shard_unavailable",
  "platform_limit",
  "registry_unavailable",
];
export const DESK: readonly ProblemCode[] = [
  "unknown_namespace",
  "wrong_kind",
  "layout_conflict",
  "shard_overloaded",
  "shard_unavailable",
  "platform_limit",
];
export const FENCING: readonly ProblemCode[] = [
  ...WRITING,
  ...DESK,
  "namespace_retired",
  "clock_disagreement",
  "clock_before_epoch",
  "timestamp_exhausted",
];
const GATED: readonly ProblemCode[] = [
  "unauthorized",
  "forbidden",
  "rate_limited",
  "internal",
  "not_configured",
  "registry_unavailable",
];

/** All problem codes of an operation: its own, and those that access control adds. */
export function codesOf(own: readonly ProblemCode[], isOpen: boolean): readonly ProblemCode[] {
  return [...new Set([...own, "method_not_allowed" as const, ...(isOpen ? [] : GATED)])];
}

/** One response per status, with an example per code. Adds the responses to `shared`, and returns references to them. */
export function problemAnswers(
  codes: readonly ProblemCode[],
  shared: Record<string, Schema>,
): Schema {
  const byStatus = Map.groupBy(codes, (code) => `${PROBLEM_KINDS[code].status}`);
  const answers = [...byStatus].map(([status, those]) => {
    const name = [status, ...those].join("-");
    const examples = those.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
    const headers = NOTES.problemHeaders[status];
    shared[name] ??= {
      description: those.map((code) => `\`${code}\``).join(", "),
      ...(headers !== undefined && { headers }),
      content: {
        "application/problem+json": {
          schema: ref("Problem"),
          examples: Object.fromEntries(examples),
        },
      },
    };
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  return Object.fromEntries(answers);
}

/** An example of a problem. `detail` says what to do. */
export function problemExample(detail: string, code: ProblemCode): Schema {
  const { status, title } = PROBLEM_KINDS[code];
  const value = { type: `/docs#${code}`, title, status, detail, code };
  return {
    summary: title,
    value: {
      ...value,
      requestId: "…",
      definite: code !== "shard_unavailable" && code !== "platform_limit",
    },
  };
}
