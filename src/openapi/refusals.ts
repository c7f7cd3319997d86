/** Problems that several operations share. */
import type { ProblemCode } from "../core/problem.ts";

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
