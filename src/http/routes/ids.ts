import { parseAccept } from "hono/utils/accept";
import { failed, type Outcome, type Problem } from "../../core/problem.ts";
import { after } from "../../service/issue/after.ts";
import { idLines, idsJson } from "../../service/issue/id-texts.ts";
import { type Client, issueIds, issueStream } from "../../service/issue/issue.ts";
import { type IdsRequest, parseIdsRequest } from "../../service/issue/issue-request.ts";
import { textStream } from "../reply/text-stream.ts";
import type { IssuingRoute, Respond } from "./issuing.ts";

/** `GET/POST /v1/ids/{namespace}`: issues IDs as JSON, or as text with one ID per line. */
export const ids: IssuingRoute = {
  route: "ids",
  parse(given, namespace, headers) {
    const asked = parseIdsRequest(given, namespace, () => acceptedFormat(headers));
    if (!asked.ok) return asked;
    const { value } = asked;
    const respond: Respond = (client, cut) =>
      value.format === "text" ? respondText(client, value, cut) : respondJson(client, value);
    return { ok: true, value: respond };
  },
};

/** One object for all responses: each Response copies it. */
const HEADERS = new Headers({ "cache-control": "no-store", "content-type": "application/json" });
const INIT: ResponseInit = { headers: HEADERS };
let lastShard: number | undefined;

function respondJson(
  client: Client,
  asked: IdsRequest,
): Outcome<Response> | Promise<Outcome<Response>> {
  return after(issueIds(client, asked), (issued) => {
    if (!issued.ok) return issued;
    const { shard, blocks } = issued;
    if (shard !== lastShard) {
      HEADERS.set("edgeflake-shard", `${shard}`);
      lastShard = shard;
    }
    return { ok: true, value: new Response(idsJson(blocks, asked.encoding), INIT) };
  });
}

async function respondText(
  client: Client,
  asked: IdsRequest,
  cut: (code: Problem["code"]) => void,
): Promise<Outcome<Response>> {
  const begun = await issueStream(client, asked);
  if (!begun.ok) return failed(begun.problem);
  const { first, rest, shard } = begun.value;
  const body = textStream(first, rest, (blocks) => idLines(blocks, asked.encoding), cut);
  const headers = {
    "cache-control": "no-store",
    "content-type": "text/plain; charset=utf-8",
    ...(shard !== undefined && { "edgeflake-shard": `${shard}` }),
  };
  return { ok: true, value: new Response(body, { headers }) };
}

/** Formats by the media ranges of an Accept header. */
const OFFERS: Readonly<Record<string, IdsRequest["format"]>> = {
  "application/json": "json",
  "text/plain": "text",
  "application/*": "json",
  "text/*": "text",
};

/** The format that the Accept header prefers. With equal weights, the more specific range wins, then the first. */
function acceptedFormat(headers: Headers): IdsRequest["format"] {
  const accept = headers.get("accept");
  if (!accept || accept === "*/*" || accept === "application/json") return "json";
  const isWide = (type: string): number => Number(type.endsWith("/*"));
  const types = parseAccept(accept)
    .filter(({ q }) => q > 0)
    .toSorted((one, other) => other.q - one.q || isWide(one.type) - isWide(other.type))
    .map(({ type }) => type.toLowerCase());
  const best = types.find((type) => Object.hasOwn(OFFERS, type));
  return (best !== undefined && OFFERS[best]) || "json";
}
