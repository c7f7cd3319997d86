/** Issues IDs to an authorised caller: charges it, takes the IDs, and records the outcome. */
import type { ApiKeyRecord } from "../../core/api-key.ts";
import { failed, type Outcome, type Problem, problemOf } from "../../core/problem.ts";
import type { Segment } from "../../core/segment/segment.ts";
import type { Granted, Issued } from "../calls/issued.ts";
import { fetchSegment } from "../calls/segment-call.ts";
import type { Surroundings } from "../registry/authorise.ts";
import type { SegmentNamespace } from "../registry/namespaces.ts";
import { after } from "./after.ts";
import { type Issuing, recordIssuing } from "./analytics.ts";
import type { IssueRequest } from "./issue-request.ts";
import { chargeIds, IDS_LIMITED } from "./rate-limit.ts";
import { takeExact, takeIds, takeStream } from "./take.ts";

/** The caller of a request, and its route. */
export interface Client extends Surroundings {
  readonly route: Issuing["route"];
  readonly caller: ApiKeyRecord;
  /** The request's headers; absent over a binding, which has no rate limit. */
  readonly headers?: Headers;
}

export type IssueResult = Granted | { readonly ok: false; readonly problem: Problem };

/** Issues IDs, from this isolate's stock if possible. Synchronous if the stock has them and no limiter is bound. */
export function issueIds(
  client: Client,
  request: IssueRequest,
): IssueResult | Promise<IssueResult> {
  return issue(client, request, takeIds);
}

/** Issues IDs to a caller with its own stock: always from a shard or object, never from this isolate's stock. */
export function issueBlocks(
  client: Client,
  request: IssueRequest,
): IssueResult | Promise<IssueResult> {
  return issue(client, request, takeExact);
}

function issue(
  client: Client,
  request: IssueRequest,
  take: typeof takeIds,
): IssueResult | Promise<IssueResult> {
  const { env, waitUntil } = client;
  const { namespace, placement, count } = request;
  return after(charge(client, count), (allowed) => {
    if (!allowed) return failed(IDS_LIMITED);
    return after(take({ env, namespace, placement, waitUntil }, count), (issued) => {
      record(client, request, issued);
      return issued.ok ? issued : failed(problemOf(issued.refusal, issued.definite));
    });
  });
}

/** A started stream. */
export interface Stream {
  readonly first: Granted;
  /** All parts, the first one included. A refusal is the last value, and is already recorded. */
  readonly rest: AsyncGenerator<Issued>;
  /** The shard of all IDs; undefined: several shards. */
  readonly shard: number | undefined;
}

/** Issues IDs in parts, at the speed of the reader. */
export async function issueStream(client: Client, request: IssueRequest): Promise<Outcome<Stream>> {
  const { env, waitUntil } = client;
  const { namespace, placement, count } = request;
  if (!(await charge(client, count))) return failed(IDS_LIMITED);
  const { parts, oneShard } = takeStream({ env, namespace, placement, waitUntil }, count);
  const begun = await parts.next();
  if (begun.done) throw new Error("a request for at least one ID was answered by no call");
  const first = begun.value;
  if (!first.ok) {
    record(client, request, first);
    return failed(problemOf(first.refusal, first.definite));
  }
  recordIssuing(env, { ...factsOf(client, request), outcome: "begun" });
  const shard = oneShard ? first.shard : undefined;
  return { ok: true, value: { first, rest: recorded(client, request, parts), shard } };
}

/** Issues a whole segment of the namespace's step, for TinyID clients. */
export async function issueSegment(
  client: Client,
  namespace: SegmentNamespace,
): Promise<Outcome<Segment>> {
  const { step, delta } = namespace.definition;
  const request = { namespace, count: Math.ceil(step / delta), placement: { strict: false } };
  if (!(await charge(client, request.count))) return failed(IDS_LIMITED);
  const allocation = await fetchSegment(client.env.SEGMENTS, namespace, step);
  const outcome = allocation.ok ? "issued" : allocation.refusal.code;
  recordIssuing(client.env, { ...factsOf(client, request), outcome });
  if (!allocation.ok) return failed(problemOf(allocation.refusal));
  return { ok: true, value: allocation.segment };
}

function charge({ env, headers, caller }: Client, count: number): true | Promise<boolean> {
  return headers ? chargeIds(env, headers, caller.id, count) : true;
}

async function* recorded(
  client: Client,
  request: IssueRequest,
  parts: AsyncGenerator<Issued>,
): AsyncGenerator<Issued> {
  for await (const part of parts) {
    if (!part.ok) record(client, request, part);
    yield part;
  }
}

function record(client: Client, request: IssueRequest, issued: Issued): void {
  const facts = factsOf(client, request);
  recordIssuing(
    client.env,
    issued.ok
      ? { ...facts, outcome: "issued", shard: issued.shard }
      : { ...facts, outcome: issued.refusal.code },
  );
}

function factsOf({ route, caller }: Client, { namespace, count }: IssueRequest) {
  return { route, namespace: namespace.name, callerId: caller.id, count };
}
