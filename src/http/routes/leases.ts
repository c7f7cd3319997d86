import { type Context, Hono } from "hono";
import * as v from "valibot";
import { type FieldError, rangeErrors } from "../../core/allowed.ts";
import { hasScope } from "../../core/api-key.ts";
import type { ParameterError } from "../../core/binding.ts";
import { INSTANT_FORMS, parseInstant } from "../../core/instant.ts";
import { tickStartMs } from "../../core/layout/layout.ts";
import { LEASE_TOKEN_HEADER, stateOf, type WorkerLease } from "../../core/lease/worker-lease.ts";
import {
  HOLDER_CHARS_MAX,
  LEASE_TTL_DEFAULT_MS,
  LEASE_TTL_MAX_MS,
  LEASE_TTL_MIN_MS,
} from "../../core/limits.ts";
import { NAMESPACE_RETIRED } from "../../core/problem.ts";
import { acquireLease, listLeases, releaseLease, renewLease } from "../../service/calls/leases.ts";
import { IDEMPOTENCY_KEY, idempotencyErrors } from "../../service/issue/issue-request.ts";
import { chargeIds, IDS_LIMITED } from "../../service/issue/rate-limit.ts";
import { LIST_PAGE_MAX } from "../../service/limits.ts";
import { parseQuery } from "../../service/params.ts";
import { confirmKey } from "../../service/registry/keys.ts";
import type { SnowflakeNamespace } from "../../service/registry/namespaces.ts";
import { anyWholeText, oneOf, shortText, wholeNumber, wholeText } from "../../service/schema.ts";
import type { NamespaceEnv } from "../middleware/app-env.ts";
import { withNamespace } from "../middleware/namespace.ts";
import { invalidBody, limitedBody, readBody, readOptionalBody, timelyBody } from "../parse/body.ts";
import { pageOf } from "../parse/pagination.ts";
import { invalidParameters, problem, refused, wrongKind } from "../reply/problem.ts";

/** Default of a lease's holder. */
const UNNAMED = "unnamed";

/** The bounds for all namespaces. ttlErrors checks those of one namespace. */
const ttl = wholeNumber(LEASE_TTL_MIN_MS, LEASE_TTL_MAX_MS);
const holderRule = `must be a string of 1 to ${HOLDER_CHARS_MAX} characters of valid Unicode`;
const untilRule = `must be the start of the first tick without an ID, as ${INSTANT_FORMS}`;

/** The body of POST /v1/leases/{namespace}. */
export const LeaseBody = v.strictObject({
  holder: v.optional(
    v.pipe(
      shortText(HOLDER_CHARS_MAX, holderRule),
      v.check((text) => text.isWellFormed(), holderRule),
    ),
    UNNAMED,
  ),
  ttlMs: v.exactOptional(
    v.pipe(
      ttl,
      v.description(
        `Length of the lease, in ms. At most leaseTtlMaxMs; default ${LEASE_TTL_DEFAULT_MS}, or leaseTtlMaxMs if that is less`,
      ),
    ),
  ),
});

/** The body of PUT /v1/leases/{namespace}/{worker}. */
export const RenewalBody = v.strictObject({
  ttlMs: v.exactOptional(
    v.pipe(
      ttl,
      v.description("Length of the lease, in ms. At most leaseTtlMaxMs; default: as before"),
    ),
  ),
});

export const LEASES_QUERY = {
  limit: v.optional(wholeText(1, LIST_PAGE_MAX)),
  cursor: v.optional(anyWholeText),
};

export const RELEASE_QUERY = {
  /** Revokes the lease without its token; for the scope admin. */
  revoke: v.optional(oneOf(["true", "false"])),
  until: v.optional(v.pipe(v.string(untilRule), v.transform(parseInstant), v.number(untilRule))),
};

/** `/v1/leases/{namespace}`: leases of worker IDs, for processes that create IDs themselves. */
export const leases = new Hono<NamespaceEnv>();

leases.post("/:namespace", withNamespace("lease"), timelyBody, limitedBody, async (c) => {
  const namespace = c.get("namespace");
  if (namespace.kind !== "snowflake") return ofSegment(c);
  if (namespace.retired) return problem(c, NAMESPACE_RETIRED);
  const { errors } = parseQuery(c.req, {});
  const key = c.req.header(IDEMPOTENCY_KEY);
  errors.push(...idempotencyErrors(key));
  if (errors.length > 0) return invalidParameters(c, errors);
  const body = await readBody(c, () => LeaseBody);
  if (!body.ok) return body.response;
  const { holder, ttlMs = LEASE_TTL_DEFAULT_MS } = body.value;
  const tooLong = ttlErrors(namespace, body.value.ttlMs);
  if (tooLong.length > 0) return invalidBody(c, tooLong);
  // An acquire is charged as one ID. Renewals and releases are free: otherwise a key at its rate limit would lose its
  // leases. Their number is bounded by the acquired leases.
  const caller = c.get("caller");
  if (!(await chargeIds(c.env, c.req.raw.headers, caller.id, 1))) return problem(c, IDS_LIMITED);
  // Without the caller's key, a random one makes the call safe to retry.
  const idempotencyKey = key === undefined ? crypto.randomUUID() : `${caller.id} ${key}`;
  const input = { holder, ttlMs, idempotencyKey };
  await confirmKey(c.env.REGISTRY, caller, "lease");
  const reply = await acquireLease(c.env.LEASES, namespace, caller, input);
  if (!reply.ok) return refused(c, reply.refusal);
  return c.json(leaseBody(namespace, reply.lease, reply.clock.nowMs), 201);
});

leases.put("/:namespace/:worker", withNamespace("lease"), timelyBody, limitedBody, async (c) => {
  const namespace = c.get("namespace");
  if (namespace.kind !== "snowflake") return ofSegment(c);
  if (namespace.retired) return problem(c, NAMESPACE_RETIRED);
  const { errors } = parseQuery(c.req, {});
  const token = tokenOf(c, errors);
  const worker = workerOf(namespace, c.req.param("worker"));
  if (errors.length > 0 || token === undefined) return invalidParameters(c, errors);
  if (worker === undefined) return noSuchWorker(c, namespace);
  const body = await readOptionalBody(c, RenewalBody);
  if (!body.ok) return body.response;
  const { ttlMs } = body.value;
  const tooLong = ttlErrors(namespace, ttlMs);
  if (tooLong.length > 0) return invalidBody(c, tooLong);
  const input = { worker, token, ttlMs };
  await confirmKey(c.env.REGISTRY, c.get("caller"), "lease");
  const reply = await renewLease(c.env.LEASES, namespace, c.get("caller"), input);
  if (!reply.ok) return refused(c, reply.refusal);
  return c.json(leaseBody(namespace, reply.lease, reply.clock.nowMs));
});

leases.delete("/:namespace/:worker", withNamespace("lease"), async (c) => {
  const namespace = c.get("namespace");
  if (namespace.kind !== "snowflake") return ofSegment(c);
  const { values, errors } = parseQuery(c.req, RELEASE_QUERY);
  const revokes = values.revoke === "true";
  if (revokes && !hasScope(c.get("caller"), "admin")) {
    return problem(c, {
      code: "forbidden",
      detail: "Revoking a lease requires a key with the scope admin.",
    });
  }
  if (revokes && values.until !== undefined) {
    errors.push({
      parameter: "until",
      detail: "and revoke are mutually exclusive: only the holder knows until",
    });
  }
  const token = revokes ? null : tokenOf(c, errors);
  const worker = workerOf(namespace, c.req.param("worker"));
  if (errors.length > 0 || token === undefined) return invalidParameters(c, errors);
  if (worker === undefined) return noSuchWorker(c, namespace);
  const untilTick = values.until === undefined ? undefined : tickFrom(namespace, values.until);
  await confirmKey(c.env.REGISTRY, c.get("caller"), revokes ? "admin" : "lease");
  const reply = await releaseLease(c.env.LEASES, namespace, { worker, token, untilTick });
  return reply.ok ? c.body(null, 204) : refused(c, reply.refusal);
});

leases.get("/:namespace", withNamespace("lease"), async (c) => {
  const namespace = c.get("namespace");
  if (namespace.kind !== "snowflake") return ofSegment(c);
  const { values, errors } = parseQuery(c.req, LEASES_QUERY);
  if (errors.length > 0) return invalidParameters(c, errors);
  const { limit = LIST_PAGE_MAX, cursor = 0 } = values;
  const reply = await listLeases(c.env.LEASES, namespace, cursor, limit + 1);
  if (!reply.ok) return refused(c, reply.refusal);
  const { shown, next } = pageOf(reply.leases, limit, ({ worker }) => `${worker + 1}`);
  const nowMs = reply.clock.nowMs;
  const isAdmin = hasScope(c.get("caller"), "admin");
  const listed = shown.map((lease) => ({
    ...listedBody(namespace, lease, nowMs),
    ...(isAdmin && lease.owner !== null && { owner: lease.owner }),
  }));
  return c.json({ leases: listed, ...next });
});

/** The errors of a requested ttlMs above the namespace's bound. */
function ttlErrors(
  { policy }: SnowflakeNamespace,
  ttlMs: number | undefined,
): readonly FieldError[] {
  if (ttlMs === undefined) return [];
  return rangeErrors("ttlMs", ttlMs, LEASE_TTL_MIN_MS, policy.leaseTtlMaxMs);
}

/** A lease in responses to its holder. Times are starts of ticks, in unix ms. */
function leaseBody(namespace: SnowflakeNamespace, lease: WorkerLease, nowMs: number) {
  const { layout, definition } = namespace;
  const { worker, token, holder, ttlMs: lastsMs } = lease;
  const notBefore = tickStartMs(layout, lease.notBeforeTick);
  const notAfter = tickStartMs(layout, lease.notAfterTick);
  const renewAfter = notAfter - Math.floor(lastsMs / 2);
  const { policy } = namespace;
  return {
    namespace: namespace.name,
    worker,
    token,
    holder,
    ttlMs: lastsMs,
    notBefore,
    notAfter,
    renewAfter,
    now: nowMs,
    layout: definition.layout,
    policy,
  };
}

/** A lease in lists, without its token. */
function listedBody({ layout }: SnowflakeNamespace, lease: WorkerLease, nowMs: number) {
  const notAfter = tickStartMs(layout, lease.notAfterTick);
  return {
    worker: lease.worker,
    holder: lease.holder,
    state: stateOf(layout, lease, nowMs),
    notBefore: tickStartMs(layout, lease.notBeforeTick),
    notAfter,
    leftMs: Math.max(0, notAfter - nowMs),
    restedMs: Math.max(0, nowMs - notAfter),
  };
}

/** The first tick that starts at or after an instant. */
function tickFrom({ layout }: SnowflakeNamespace, unixMs: number): number {
  return Math.ceil((unixMs - layout.epochMs) / layout.tickMs);
}

function tokenOf(c: Context, errors: ParameterError[]): string | undefined {
  const token = c.req.header(LEASE_TOKEN_HEADER);
  if (!token)
    errors.push({ parameter: LEASE_TOKEN_HEADER, detail: "must be the token of the lease" });
  return token;
}

function workerOf({ layout }: SnowflakeNamespace, text: string): number | undefined {
  const read = v.safeParse(anyWholeText, text);
  return read.success && read.output < layout.workerCount ? read.output : undefined;
}

function noSuchWorker(c: Context, { layout }: SnowflakeNamespace): Response {
  const detail = `The worker IDs of this layout are 0 to ${layout.workerCount - 1}.`;
  return problem(c, { code: "not_found", detail });
}

function ofSegment(c: Context): Response {
  return wrongKind(c, "A segment namespace has no worker IDs to lease; use a snowflake namespace.");
}
