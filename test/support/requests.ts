import { exports } from "cloudflare:workers";
import { checkAnswer } from "./contract.ts";

/** A request to the Worker under test. */
export async function request(path: string, init?: RequestInit): Promise<Response> {
  const response = await exports.default.fetch(`https://edgeflake.test${path}`, init);
  await checkAnswer(init?.method ?? "GET", path, response);
  return response;
}

/** Reads the first part of a stream, calls `happen`, and reads the rest. Rejects if the stream is cut off. */
export async function readAcross(path: string, happen: () => void): Promise<void> {
  const reader = (await request(path)).body?.getReader();
  await reader?.read();
  happen();
  while (!(await reader?.read())?.done);
}

/** The JSON of an answer that must be a 200. */
export async function json(path: string, init?: RequestInit): Promise<unknown> {
  const response = await request(path, init);
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${body}`);
  return JSON.parse(body);
}

/** IDs of /v1/ids with that query, as big integers, in the order answered. */
export async function idsOf(namespace: string, query = ""): Promise<bigint[]> {
  const body = await json(`/v1/ids/${namespace}${query}`);
  if (!isIds(body)) throw new Error(`not an answer with IDs: ${JSON.stringify(body)}`);
  return body.ids.map(BigInt);
}

function isIds(body: unknown): body is { ids: string[] } {
  return typeof body === "object" && body !== null && "ids" in body && Array.isArray(body.ids);
}

/** Status, code, Retry-After and the rest of a problem answer. */
export async function problemOf(path: string, init?: RequestInit) {
  const response = await request(path, init);
  const { headers, status } = response;
  const body: Record<string, unknown> = await response.json();
  return {
    status,
    type: headers.get("content-type"),
    retryAfter: headers.get("retry-after"),
    allow: headers.get("allow"),
    body,
  };
}
