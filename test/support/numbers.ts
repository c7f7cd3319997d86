/** Segments through the API: creates them, and requests numbers by any route and format. */
import { answerKeyOf } from "../../src/objects/kept-answers.ts";
import { ask, put } from "./admin.ts";
import { inSegments, makeTables } from "./segments.ts";

let serial = 0;

/** A new namespace, of numbers from 1 on unless said otherwise. Each test has its own, as the isolate keeps a buffer. */
export async function someSegment(change: Record<string, unknown> = {}): Promise<string> {
  serial += 1;
  const name = `numbers-${serial}`;
  const made = await put(name, { kind: "segment", step: 100, ...change });
  if (made.status !== 201) throw new Error(made.text);
  return name;
}

interface Block {
  readonly first: string;
  readonly count: number;
  readonly step: number;
}

interface By {
  /** An Idempotency-Key. */
  readonly key?: string;
  /** The bearer token; the admin key unless given. */
  readonly caller?: string | undefined;
}

/** The numbers of an answer, in their order: its IDs, or those of its blocks. */
export function idsFrom({ ids, blocks }: Record<string, unknown>): bigint[] {
  if (Array.isArray(ids)) return ids.map(BigInt);
  return (blocks as Block[]).flatMap(({ first, count, step }) =>
    Array.from({ length: count }, (_, index) => BigInt(first) + BigInt(index * step)),
  );
}

/** The numbers of a request that must succeed, in the order answered. */
export async function numbersOf(path: string, { key, caller }: By = {}): Promise<bigint[]> {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  const { status, body, text } = await ask(path, { headers, ...(caller && { key: caller }) });
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  return path.includes("format=text") ? text.trimEnd().split("\n").map(BigInt) : idsFrom(body);
}

/** The body of an error response. */
export async function refusalOf(path: string, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  const { status, body } = await ask(path, { headers });
  const { code, definite, detail, errors } = body;
  return { status, code, definite, detail, errors };
}

/** Whose answers are kept, in the order they were written: of `keys`, with their owner, "?" for any other. */
export async function keysKept(name: string, keys: readonly string[] = []): Promise<string[]> {
  await makeTables(name);
  const hashes = await inSegments(name, (sql) =>
    sql.exec<{ hash: ArrayBuffer }>("SELECT hash FROM kept ORDER BY seq").toArray(),
  );
  const known = new Map<string, string>();
  for (const key of keys) known.set(hex((await answerKeyOf(key)).hash), key);
  return hashes.map(({ hash }) => known.get(hex(hash)) ?? "?");
}

function hex(bytes: ArrayBuffer): string {
  return new Uint8Array(bytes).toHex();
}
