/** Which caller may do what: every kind of caller × every operation of the API document. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import document from "../../../src/openapi/openapi.json";
import { ask } from "../../support/admin.ts";
import { type CallerKind, makeCallers } from "../../support/callers.ts";
import { useClock } from "../../support/clock.ts";
import { saidBy } from "../../support/dialects.ts";

/** The access decision: allowed (with any response), 401 or 403. */
type Told = "in" | 401 | 403;
type Needs = "nothing" | "issue" | "read" | "lease" | "admin";

/** The scope of each operation, and one request of it. */
const OPERATIONS: Readonly<Record<string, readonly [Needs, path: string, json?: unknown]>> = {
  getIds: ["issue", "/v1/ids/default"],
  postIds: ["issue", "/v1/ids/default"],
  getBlocks: ["issue", "/v1/blocks/default"],
  postBlocks: ["issue", "/v1/blocks/default"],
  decodeId: ["read", "/v1/decode/default/1"],
  getRange: ["read", "/v1/range/default?from=2026-01-01&until=2026-01-02"],
  listShards: ["read", "/v1/shards/default?limit=1"],
  getShard: ["read", "/v1/shards/default/0"],
  listNamespaces: ["read", "/v1/namespaces"],
  getNamespace: ["read", "/v1/namespaces/default"],
  putNamespace: ["admin", "/v1/namespaces/scoped", { kind: "snowflake" }],
  patchNamespace: ["admin", "/v1/namespaces/scoped", { shards: 8 }],
  retireNamespace: ["admin", "/v1/namespaces/retiring"],
  acquireLease: ["lease", "/v1/leases/default", {}],
  listLeases: ["lease", "/v1/leases/default"],
  renewLease: ["lease", "/v1/leases/default/512", {}],
  releaseLease: ["lease", "/v1/leases/default/512"],
  createKey: ["admin", "/v1/keys", { scopes: ["issue"] }],
  listKeys: ["admin", "/v1/keys"],
  revokeKey: ["admin", "/v1/keys/nothing"],
  leafSegment: ["issue", "/api/segment/get/segment"],
  leafSegmentByPost: ["issue", "/api/segment/get/segment"],
  leafSnowflake: ["issue", "/api/snowflake/get/default"],
  leafSnowflakeByPost: ["issue", "/api/snowflake/get/default"],
  leafDecode: ["read", "/decodeSnowflakeId?snowflakeId=1"],
  tinyNextId: ["issue", "/tinyid/id/nextId?bizType=segment"],
  tinyNextIdByPost: ["issue", "/tinyid/id/nextId?bizType=segment"],
  tinyNextIdSimple: ["issue", "/tinyid/id/nextIdSimple?bizType=segment"],
  tinyNextIdSimpleByPost: ["issue", "/tinyid/id/nextIdSimple?bizType=segment"],
  tinyNextSegmentId: ["issue", "/tinyid/id/nextSegmentId?bizType=segment"],
  tinyNextSegmentIdByPost: ["issue", "/tinyid/id/nextSegmentId?bizType=segment"],
  tinyNextSegmentIdSimple: ["issue", "/tinyid/id/nextSegmentIdSimple?bizType=segment"],
  tinyNextSegmentIdSimpleByPost: ["issue", "/tinyid/id/nextSegmentIdSimple?bizType=segment"],
  getHealth: ["nothing", "/healthz"],
  getOpenApi: ["nothing", "/openapi.json"],
  getConsole: ["nothing", "/"],
  getDocs: ["nothing", "/docs"],
};

/** The decision for each kind of caller, by the scope that an operation needs. */
const EXPECTED: Readonly<Record<CallerKind, Readonly<Record<Needs, Told>>>> = {
  none: { nothing: "in", issue: 401, read: 401, lease: 401, admin: 401 },
  unknown: { nothing: "in", issue: 401, read: 401, lease: 401, admin: 401 },
  expired: { nothing: "in", issue: 401, read: 401, lease: 401, admin: 401 },
  revoked: { nothing: "in", issue: 401, read: 401, lease: 401, admin: 401 },
  issue: { nothing: "in", issue: "in", read: 403, lease: 403, admin: 403 },
  read: { nothing: "in", issue: 403, read: "in", lease: 403, admin: 403 },
  lease: { nothing: "in", issue: 403, read: 403, lease: "in", admin: 403 },
  admin: { nothing: "in", issue: "in", read: "in", lease: "in", admin: "in" },
  issueElsewhere: { nothing: "in", issue: 403, read: 403, lease: 403, admin: 403 },
  readElsewhere: { nothing: "in", issue: 403, read: 403, lease: 403, admin: 403 },
  leaseElsewhere: { nothing: "in", issue: 403, read: 403, lease: 403, admin: 403 },
};
/** They name no namespace, so they refuse no key for its namespaces: one lists its own, one reads a fixed layout. */
const OF_NO_NAMESPACE = ["listNamespaces", "leafDecode"];

const KINDS = Object.keys(EXPECTED) as CallerKind[];

const CASES = Object.entries(document.paths).flatMap(([route, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({
    operationId,
    method: method.toUpperCase(),
    isDialect: !route.startsWith("/v1/") && OPERATIONS[operationId]?.[0] !== "nothing",
  })),
);

useClock("waits");
beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

/** The dialects reject a token in their own format, without the reason. */
const REFUSED_BY_DIALECTS = ["Result{id=-2, status=EXCEPTION}", "5 token is error", ""];

async function toldOf(
  { operationId, method, isDialect }: (typeof CASES)[number],
  key: string | null,
): Promise<Told | "refused"> {
  const [, path, json] = OPERATIONS[operationId] ?? [];
  if (path === undefined) throw new Error(`${operationId} has no row here`);
  const token = isDialect && key !== null ? `${path.includes("?") ? "&" : "?"}token=${key}` : "";
  const answer = await ask(`${path}${token}`, { method, json, key: isDialect ? null : key });
  const { status } = answer;
  if (isDialect) return REFUSED_BY_DIALECTS.includes(saidBy(answer)) ? "refused" : "in";
  return status === 401 || status === 403 ? status : "in";
}

describe("an operation allows exactly the keys with its scope:", () => {
  it.each(KINDS)("%s", async (kind) => {
    const key = (await makeCallers())[kind];
    const told: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const operation of CASES) {
      const { operationId, isDialect } = operation;
      const [needs = "nothing"] = OPERATIONS[operationId] ?? [];
      const scope = kind.endsWith("Elsewhere") ? kind.replace("Elsewhere", "") : undefined;
      const isOwn = scope === needs && OF_NO_NAMESPACE.includes(operationId);
      const row = isOwn ? "in" : EXPECTED[kind][needs];
      expected[operationId] = isDialect && row !== "in" ? "refused" : row;
      told[operationId] = await toldOf(operation, key);
    }
    expect(told).toEqual(expected);
  });

  it("each operation of the document has its row with its scope, and no other", () => {
    const documented = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId, security }) => {
        const scopes = security.flatMap((scheme: object) => Object.values(scheme).flat());
        return [operationId, scopes[0] ?? "nothing"];
      }),
    );
    const rows = Object.entries(OPERATIONS).map(([id, [needs]]) => [id, needs]);
    expect(rows.toSorted()).toEqual(documented.toSorted());
  });
});
