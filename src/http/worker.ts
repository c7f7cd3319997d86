import { issueIds } from "../service/issue-ids.ts";
import type { Issued } from "../service/issued.ts";
import { recordIssuing } from "./analytics.ts";
import { app } from "./app.ts";
import { mayIssue } from "./rate-limit.ts";
import { readShort, type ShortRequest, shortAnswer } from "./short-cut.ts";

/** The Worker's HTTP: the short cut where it serves, the router for everything else. */
export const worker = {
  // Answers at once where it can: a promise costs a Worker a tenth of such a request.
  fetch(request, env, ctx) {
    const short = readShort(request, env);
    if (!short) return app.fetch(request, env, ctx);
    const allowed = mayIssue(env, request.headers, short.caller.id, short.count);
    if (allowed !== true) return serveLimited(short, allowed, request, env, ctx);
    const issued = begin(short, env, ctx);
    return "then" in issued
      ? serveLater(short, issued, request, env, ctx)
      : serve(short, issued, request, env, ctx);
  },
} satisfies ExportedHandler<Env>;

function begin(
  { namespace, count, placement }: ShortRequest,
  env: Env,
  ctx: ExecutionContext,
): Issued | Promise<Issued> {
  const waitUntil = (work: Promise<unknown>): void => ctx.waitUntil(work);
  try {
    const { SHARD: shards, SEGMENTS: segments } = env;
    return issueIds({ shards, segments, namespace, placement, waitUntil }, count);
  } catch (error) {
    // The router answers it, as one that fails later.
    return Promise.reject(error);
  }
}

async function serveLimited(
  short: ShortRequest,
  allowed: Promise<boolean>,
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Promise<Response> {
  // Refused here, it is refused by the router too, which says so.
  if (!(await allowed)) return app.fetch(request, env, ctx);
  return serveLater(short, Promise.resolve(begin(short, env, ctx)), request, env, ctx);
}

function serveLater(
  short: ShortRequest,
  issuing: Promise<Issued>,
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Promise<Response> {
  return issuing.then(
    (issued) => serve(short, issued, request, env, ctx),
    () => app.fetch(request, { ...env, BEGUN: issuing }, ctx),
  );
}

/** The answer; the router's where it is a refusal. */
function serve(
  short: ShortRequest,
  issued: Issued,
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Response | Promise<Response> {
  if (!issued.ok) return app.fetch(request, { ...env, BEGUN: issued }, ctx);
  const { caller, namespace, count } = short;
  const facts = { route: "ids", namespace: namespace.name, callerId: caller.id, count } as const;
  recordIssuing(env, { ...facts, outcome: "issued", shard: issued.shard });
  return shortAnswer(short, issued);
}
