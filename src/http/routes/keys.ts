import { Hono } from "hono";
import * as v from "valibot";
import { type ApiKeyRecord, fieldBeyond, SCOPES } from "../../core/api-key.ts";
import { INSTANT_FORMS, parseInstant } from "../../core/instant.ts";
import { KEY_NAME_CHARS_MAX, KEY_NAMESPACES_MAX, RFC3339_MS_MAX } from "../../core/limits.ts";
import { NAMESPACE_NAME } from "../../core/namespace/namespace.ts";
import { LIST_PAGE_MAX } from "../../service/limits.ts";
import { parseQuery } from "../../service/params.ts";
import { createKey, deleteKey, listKeys } from "../../service/registry/keys.ts";
import { listOf, oneOf, shortText } from "../../service/schema.ts";
import { requires } from "../middleware/access.ts";
import type { AppEnv } from "../middleware/app-env.ts";
import { invalidBody, limitedBody, readBody, timelyBody } from "../parse/body.ts";
import { pageOf, pageQuery } from "../parse/pagination.ts";
import { invalidParameters, problem } from "../reply/problem.ts";

const nameRule = `must be a string of 1 to ${KEY_NAME_CHARS_MAX} characters`;
const scopesRule = `must be a list of one or more of ${SCOPES.join(", ")}`;
const namespacesRule = `must be a list of 1 to ${KEY_NAMESPACES_MAX} namespace names`;
const expiresAtRule = `must be ${INSTANT_FORMS}, up to the end of the year 9999`;

/** The body of POST /v1/keys. */
export const KeyBody = v.pipe(
  v.strictObject({
    name: v.exactOptional(shortText(KEY_NAME_CHARS_MAX, nameRule)),
    scopes: listOf(oneOf(SCOPES), SCOPES.length, scopesRule),
    namespaces: v.exactOptional(
      listOf(
        v.pipe(v.string(namespacesRule), v.regex(NAMESPACE_NAME, namespacesRule)),
        KEY_NAMESPACES_MAX,
        namespacesRule,
      ),
    ),
    expiresAt: v.exactOptional(
      v.pipe(
        v.string(expiresAtRule),
        v.transform(parseInstant),
        v.number(expiresAtRule),
        v.maxValue(RFC3339_MS_MAX, expiresAtRule),
      ),
    ),
  }),
  v.forward(
    v.partialCheck(
      [["scopes"], ["namespaces"]],
      ({ scopes, namespaces }) => namespaces === undefined || !scopes.includes("admin"),
      "and the scope admin are mutually exclusive: an admin has access to every namespace",
    ),
    ["namespaces"],
  ),
);

export const KEYS_QUERY = pageQuery(/^[A-Za-z0-9_-]{1,64}$/);

/** `/v1/keys`: creates, lists and revokes API keys. */
export const keys = new Hono<AppEnv>();

keys.use(requires("admin"));

keys.post("/", timelyBody, limitedBody, async (c) => {
  if (c.env.ACCESS === "open") {
    const detail =
      "ACCESS=open needs no API keys and creates none, since they would stay valid after it; use ACCESS=keys.";
    return problem(c, { code: "forbidden", detail });
  }
  const { errors } = parseQuery(c.req, {});
  if (errors.length > 0) return invalidParameters(c, errors);
  const body = await readBody(c, () => KeyBody);
  if (!body.ok) return body.response;
  const { expiresAt: expiresAtMs, ...rest } = body.value;
  const nowMs = Date.now();
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) {
    return invalidBody(c, [{ field: "expiresAt", detail: "must be in the future" }]);
  }
  const input = expiresAtMs === undefined ? rest : { ...rest, expiresAtMs };
  const beyond = fieldBeyond(c.get("caller"), input);
  if (beyond !== undefined) {
    const detail = `A key can't create a key with more rights or a later end than its own; reduce ${beyond}.`;
    return problem(c, { code: "forbidden", detail });
  }
  const created = await createKey(c.env.REGISTRY, input, nowMs, c.get("caller"));
  if (created.kind === "full") {
    const detail = `API key limit (${created.most}) reached; revoke unused keys.`;
    return problem(c, { code: "forbidden", detail });
  }
  return c.json({ key: created.key, ...bodyOf(created.record) }, 201);
});

keys.get("/", async (c) => {
  const { values, errors } = parseQuery(c.req, KEYS_QUERY);
  if (errors.length > 0) return invalidParameters(c, errors);
  const { limit = LIST_PAGE_MAX, cursor = "" } = values;
  const found = await listKeys(c.env.REGISTRY, cursor, limit + 1);
  const { shown, next } = pageOf(found, limit, ({ id }) => id);
  return c.json({ keys: shown.map(bodyOf), ...next });
});

keys.delete("/:id", async (c) => {
  const { errors } = parseQuery(c.req, {});
  if (errors.length > 0) return invalidParameters(c, errors);
  if (await deleteKey(c.env.REGISTRY, c.req.param("id"), c.get("caller"))) return c.body(null, 204);
  return problem(c, { code: "not_found", detail: "No API key has this id." });
});

/** A key in responses, without the key itself and its hash. */
function bodyOf({ id, name, scopes, namespaces, expiresAtMs, createdMs }: ApiKeyRecord) {
  const expiresAt = expiresAtMs === undefined ? undefined : new Date(expiresAtMs).toISOString();
  return { id, name, scopes, namespaces, expiresAt, createdAt: new Date(createdMs).toISOString() };
}
