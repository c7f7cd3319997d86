import { type Context, Hono } from "hono";
import {
  NAME_RULE,
  NAMESPACE_NAME,
  type NamespaceDefinition,
  type NamespaceInput,
} from "../../core/namespace/namespace.ts";
import type { NamespacePatch } from "../../core/namespace/namespace-patch.ts";
import { NAMESPACE_RETIRED, type Problem } from "../../core/problem.ts";
import type { NamespaceReply, Revoked } from "../../objects/registry.ts";
import { LIST_PAGE_MAX } from "../../service/limits.ts";
import { parseQuery } from "../../service/params.ts";
import { UNKNOWN_NAMESPACE } from "../../service/registry/authorise.ts";
import {
  isBuiltIn,
  listNamespaces,
  type Namespace,
  namespaceOf,
  patchNamespace,
  putNamespace,
  retireNamespace,
} from "../../service/registry/namespaces.ts";
import { requires } from "../middleware/access.ts";
import type { AppEnv } from "../middleware/app-env.ts";
import { withNamespace } from "../middleware/namespace.ts";
import { invalidBody, limitedBody, PATCH_TYPES, readBody, timelyBody } from "../parse/body.ts";
import { namespaceBodyOf, namespacePatchBodyOf } from "../parse/namespace-body.ts";
import { pageOf, pageQuery } from "../parse/pagination.ts";
import { invalidParameters, problem } from "../reply/problem.ts";

export const NAMESPACES_QUERY = pageQuery(NAMESPACE_NAME);

/** `/v1/namespaces`: lists, creates, changes and retires namespaces. */
export const namespaces = new Hono<AppEnv>();

namespaces.get("/", requires("read"), async (c) => {
  const { values, errors } = parseQuery(c.req, NAMESPACES_QUERY);
  if (errors.length > 0) return invalidParameters(c, errors);
  const { limit = LIST_PAGE_MAX, cursor = "" } = values;
  const { namespaces: only } = c.get("caller");
  const found = await listNamespaces(c.env.REGISTRY, { after: cursor, limit: limit + 1, only });
  const { shown, next } = pageOf(found, limit, ({ name }) => name);
  return c.json({ namespaces: shown.map(bodyOf), ...next });
});

namespaces.get("/:namespace", withNamespace("read"), (c) => {
  const { errors } = parseQuery(c.req, {});
  if (errors.length > 0) return invalidParameters(c, errors);
  return c.json(bodyOf(c.get("namespace")));
});

namespaces.put("/:namespace", requires("admin"), timelyBody, limitedBody, async (c) => {
  const name = c.req.param("namespace");
  if (isBuiltIn(name)) return builtInNamespace(c);
  const { errors } = parseQuery(c.req, {});
  if (!NAMESPACE_NAME.test(name))
    errors.push({ parameter: "namespace", detail: `must be ${NAME_RULE}` });
  if (errors.length > 0) return invalidParameters(c, errors);
  const body = await readBody(c, namespaceBodyOf);
  if (!body.ok) return body.response;
  const reply = await putNamespace(
    c.env.REGISTRY,
    name,
    body.value satisfies NamespaceInput,
    c.get("caller"),
  );
  return namespaceAnswer(c, reply);
});

namespaces.patch("/:namespace", withNamespace("admin"), timelyBody, limitedBody, async (c) => {
  const { name, kind, builtIn } = c.get("namespace");
  if (builtIn) return builtInNamespace(c);
  const { errors } = parseQuery(c.req, {});
  if (errors.length > 0) return invalidParameters(c, errors);
  // This isolate may remember another version of the namespace, but never of another kind.
  const body = await readBody(c, (value) => namespacePatchBodyOf(value, kind), PATCH_TYPES);
  if (!body.ok) return body.response;
  const patch = body.value satisfies NamespacePatch;
  return namespaceAnswer(c, await patchNamespace(c.env.REGISTRY, name, patch, c.get("caller")));
});

namespaces.delete("/:namespace", requires("admin"), async (c) => {
  const name = c.req.param("namespace");
  if (isBuiltIn(name)) return builtInNamespace(c);
  const { errors } = parseQuery(c.req, {});
  if (errors.length > 0) return invalidParameters(c, errors);
  const retired = await retireNamespace(c.env.REGISTRY, name, c.get("caller"));
  return retired ? c.body(null, 204) : problem(c, UNKNOWN_NAMESPACE);
});

function namespaceAnswer(c: Context, reply: Exclude<NamespaceReply, Revoked>): Response {
  switch (reply.kind) {
    case "created":
      return c.json(bodyOf(namespaceOf(reply.stored)), 201);
    case "changed":
      return c.json(bodyOf(namespaceOf(reply.stored)));
    case "invalid":
      return invalidBody(c, reply.errors);
    case "conflict":
      return problem(c, conflict(reply.fields, reply.stored, reply.wished));
    case "retired":
      return problem(c, NAMESPACE_RETIRED);
    case "unknown":
      return problem(c, UNKNOWN_NAMESPACE);
    case "full": {
      const detail =
        reply.of === "names"
          ? `Namespace name limit (${reply.most}) reached; names of retired namespaces still count.`
          : `Namespace limit (${reply.most}) reached; retire unused namespaces.`;
      return problem(c, { code: "forbidden", detail });
    }
  }
}

function conflict(
  fields: readonly string[],
  stored: NamespaceDefinition,
  wished: NamespaceDefinition,
): Problem {
  const fixed =
    stored.kind === "segment"
      ? "Kind, start, delta and remainder can't be changed; max can only grow."
      : "Kind, layout, regions and keyShards can't be changed; shards can only grow.";
  const detail = `The namespace exists with another ${fields.join(", ")}. ${fixed}`;
  return { code: "layout_conflict", detail, conflict: { stored, wished } };
}

function builtInNamespace(c: Context): Response {
  const detail = "Built-in namespaces can't be changed; create one with another name.";
  return problem(c, { code: "builtin_namespace", detail });
}

function bodyOf(namespace: Namespace) {
  const { name, builtIn, retired, createdMs, definition } = namespace;
  const createdAt = createdMs === undefined ? undefined : new Date(createdMs).toISOString();
  return { name, ...definition, builtIn, retired, createdAt };
}
