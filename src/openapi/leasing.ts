/** Leases of worker IDs in the OpenAPI document. */
import { LEASES_QUERY, LeaseBody, RELEASE_QUERY, RenewalBody } from "../http/leases.ts";
import type { ProblemCode } from "../http/problem.ts";
import type { Operations } from "./operation.ts";
import { READING, WRITING } from "./problems.ts";
import { NOTES } from "./texts.ts";

const DESK: readonly ProblemCode[] = [
  "unknown_namespace",
  "wrong_kind",
  "layout_conflict",
  "shard_overloaded",
  "shard_unavailable",
];
const FENCING: readonly ProblemCode[] = [
  ...WRITING,
  ...DESK,
  "namespace_retired",
  "clock_disagreement",
  "clock_before_epoch",
  "timestamp_exhausted",
];

export const LEASING: Operations = {
  "/v1/leases/{namespace}": {
    post: {
      id: "acquireLease",
      tag: "Leasing",
      summary: "Leases a worker ID",
      headers: [NOTES.idempotencyKey],
      body: LeaseBody,
      bodyExample: { holder: "pod-7", ttlMs: 60_000 },
      answers: { 201: { schema: "Lease" } },
      errors: [...FENCING, "idempotency_conflict", "no_worker_free"],
    },
    get: {
      id: "listLeases",
      tag: "Leasing",
      summary: "The last lease of each worker ID that had one",
      query: LEASES_QUERY,
      answers: { 200: { schema: "Leases" } },
      errors: [...READING, ...DESK],
    },
  },
  "/v1/leases/{namespace}/{worker}": {
    put: {
      id: "renewLease",
      tag: "Leasing",
      summary: "Moves the end of a lease up; without a body by as much as before",
      headers: [NOTES.leaseToken],
      body: RenewalBody,
      bodyExample: { ttlMs: 60_000 },
      answers: { 200: { schema: "Lease" } },
      errors: [...FENCING, "lease_lost", "not_found"],
    },
    delete: {
      id: "releaseLease",
      tag: "Leasing",
      summary: "Gives a lease back",
      query: RELEASE_QUERY,
      headers: [NOTES.leaseToken],
      answers: { 204: {} },
      errors: [...READING, ...DESK, "lease_lost", "not_found"],
    },
  },
};
