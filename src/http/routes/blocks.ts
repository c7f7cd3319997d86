import { blocksAnswer } from "../../core/blocks/blocks-answer.ts";
import { after } from "../../service/issue/after.ts";
import { issueBlocks } from "../../service/issue/issue.ts";
import { parseBlocksRequest } from "../../service/issue/issue-request.ts";
import { freshForMsOf } from "../../service/registry/namespaces.ts";
import type { IssuingRoute, Respond } from "./issuing.ts";

/** `GET/POST /v1/blocks/{namespace}`: issues runs of consecutive IDs that the caller counts through. */
export const blocks: IssuingRoute = {
  route: "blocks",
  parse(given, namespace) {
    const asked = parseBlocksRequest(given, namespace);
    if (!asked.ok) return asked;
    const respond: Respond = (client) =>
      after(issueBlocks(client, asked.value), (issued) => {
        if (!issued.ok) return issued;
        const { blocks, shard } = issued;
        const answer = blocksAnswer(blocks, shard, freshForMsOf(namespace));
        const headers = {
          "cache-control": "no-store",
          "content-type": "application/json",
          "edgeflake-shard": `${shard}`,
        };
        return { ok: true, value: new Response(JSON.stringify(answer), { headers }) };
      });
    return { ok: true, value: respond };
  },
};
