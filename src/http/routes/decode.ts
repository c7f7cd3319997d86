import { Hono } from "hono";
import { decodeId } from "../../service/issue/decode.ts";
import { paramsOfUrl } from "../../service/params.ts";
import type { NamespaceEnv } from "../middleware/app-env.ts";
import { withNamespace } from "../middleware/namespace.ts";
import { problem } from "../reply/problem.ts";

/** `GET /v1/decode/{namespace}/{id}`: decodes an ID. */
export const decode = new Hono<NamespaceEnv>();

decode.get("/:namespace/:id", withNamespace("read"), (c) => {
  const read = decodeId(paramsOfUrl(c.req.url), c.get("namespace"), c.req.param("id"));
  return read.ok ? c.json(read.value) : problem(c, read.problem);
});
