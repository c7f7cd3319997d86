/** Parts of Edgeflake that are measured in process, and what they are compared with. */
import { setTimeout as pause } from "node:timers/promises";
import { Edgeflake } from "edgeflake/client";
import { Minter } from "edgeflake/minter";
import { type Block, blocksOf } from "../../src/core/blocks/block.ts";
import {
  bytesMax,
  type Surround,
  writeAscii,
  writeBlock,
} from "../../src/core/blocks/block-writer.ts";
import type { Encoding } from "../../src/core/codec.ts";
import { tickStartMs } from "../../src/core/layout/layout.ts";
import { PRESETS } from "../../src/core/layout/presets.ts";
import { startLine, step } from "../../src/core/line/line.ts";

export interface Repeats {
  readonly checked: number;
  /** IDs that had come before. */
  readonly repeated: number;
  /** Calls that threw instead of giving an ID; they were repeated. */
  readonly thrown: number;
}

export interface Piece {
  /** IDs of one run. */
  readonly ids: number;
  /** Prepares what the next run uses up; not timed. */
  readonly before?: () => Promise<void>;
  /** Its result depends on each ID, so that V8 can leave none out. */
  readonly run: () => number;
  /** Of a generator: makes so many more IDs, or a few above, and looks for repeated ones. */
  readonly check?: (count: number) => Repeats;
}

/** By name; made in the thread that measures it. */
export type Pieces = Readonly<Record<string, () => Piece | Promise<Piece>>>;

const BLOCK_IDS = 4096;
/** From one tick's first ID of a shard to the next tick's, in the default layout. */
const TICK_IDS = 1n << 22n;
const blockAt = (tick: number): Block => ({
  first: 220_000_000_000_000_000n + BigInt(tick) * TICK_IDS,
  count: BLOCK_IDS,
});
/** Each at another place within ten thousand: the digits that a block carries into differ. */
const BLOCKS = Array.from({ length: 16 }, (_, tick) => blockAt(tick));
const BIGINTS = BLOCKS.map(({ first, count }) =>
  Array.from({ length: count }, (_, offset) => first + BigInt(offset)),
);

function sumOf(count: number, next: (index: number) => number): number {
  let sum = 0;
  for (let index = 0; index < count; index += 1) sum += next(index);
  return sum;
}

const JSON_TEXTS: Surround = { before: '"', after: '",' };
const LINES: Surround = { before: "", after: "\n" };
const target = new Uint8Array(1 + bytesMax(BLOCKS.slice(-1), "decimal", JSON_TEXTS));
const decoder = new TextDecoder();

/** The length of what was written to the start of the target. */
function writeJson(block: Block, encoding: Encoding): number {
  const start = writeAscii(target, 0, "[");
  const end = writeBlock(target, start, block, encoding, JSON_TEXTS);
  target[end - 1] = 0x5d;
  return end;
}

function jsonOf(block: Block): string {
  return decoder.decode(target.subarray(0, writeJson(block, "decimal")));
}

function stringified(index: number): string {
  return JSON.stringify(BIGINTS[index]?.map((id) => id.toString()));
}

/** All blocks, each written to the target, or as a text of this length. */
function perBlock(write: (block: Block, index: number) => number): Piece {
  const writeOne = (index: number): number => {
    const end = write(BLOCKS[index] ?? blockAt(0), index);
    return end + (target[end - 2] ?? 0);
  };
  return { ids: BLOCK_IDS * BLOCKS.length, run: () => sumOf(BLOCKS.length, writeOne) };
}

function jsonPiece(): Piece {
  const wrong = BLOCKS.find((block, index) => jsonOf(block) !== stringified(index));
  if (wrong) throw new Error(`the codec and JSON.stringify differ from ${wrong.first} on`);
  return perBlock((block) => writeJson(block, "decimal"));
}

function defaultPreset() {
  const preset = PRESETS.get("default");
  if (!preset) throw new Error("no preset default");
  return preset;
}

/** A line that is used up tick by tick as its clock advances. */
function linePiece(count: number): Piece {
  const { layout, policy } = defaultPreset();
  let state = startLine([0]);
  let granted = 0;
  const grant = (): number => {
    const nowMs = tickStartMs(layout, Math.floor(granted / layout.sequenceCount));
    const waitLeftMs = policy.maxWaitMs;
    const input = { nowMs, callerNowMs: nowMs, count, waitLeftMs, random: 0, lastLaneOnly: false };
    const outcome = step(layout, policy, state, input);
    state = outcome.state;
    if (outcome.kind !== "granted") throw new Error(`the line answers: ${outcome.kind}`);
    granted += count;
    return blocksOf(layout, 1, [outcome.grant]).reduce((sum, block) => sum + block.count, 0);
  };
  return { ids: BLOCK_IDS * count, run: () => sumOf(BLOCK_IDS, grant) };
}

const CLIENT_IDS = 40_000;
/** Far more calls than the client makes until its leases are large. */
const CALLS_MAX = 10_000_000;

/** The published client, with a service in memory; `read` looks at a text, whose parts V8 does not join before. */
function clientPiece(read: (id: string) => number): Piece {
  let tick = 0;
  let largeLeaseFrom = "";
  const blocksOrProblem = async (_namespace: string, count: number) => {
    const blocks: { first: string; count: number }[] = [];
    for (let left = count; left > 0; left -= BLOCK_IDS) {
      blocks.push({ first: `${blockAt(tick).first}`, count: Math.min(BLOCK_IDS, left) });
      tick += 1;
    }
    if (count > CLIENT_IDS) largeLeaseFrom = blocks[0]?.first ?? "";
    return { ok: true as const, value: { blocks, shard: 0, freshForMs: 60_000 } };
  };
  const decodeOrProblem = () => Promise.reject(new Error("the bench decodes nothing"));
  const binding = { blocksOrProblem, decodeOrProblem };
  const client = new Edgeflake({ binding, namespace: "default" });
  const before = async (): Promise<void> => {
    for (let calls = 0; calls < CALLS_MAX; calls += 1) {
      if ((await client.next()) === largeLeaseFrom) return;
    }
    throw new Error("the client leases no more than a few IDs");
  };
  const next = (): number => {
    const id = client.nextNow();
    if (id === undefined) throw new Error("the client has no ID");
    return read(id);
  };
  return { ids: CLIENT_IDS, before, run: () => sumOf(CLIENT_IDS, next) };
}

const lastOf = (id: string): number => id.charCodeAt(id.length - 1);
/** A day: no renewal comes in between. */
const TTL_MS = 86_400_000;

/** The published minter, with a lease answered from memory. */
async function minterPiece(ids: number, runOf: (minter: Minter) => number): Promise<Piece> {
  const { spec: layout, policy } = defaultPreset();
  const now = Date.now();
  const times = { ttlMs: TTL_MS, notBefore: now, notAfter: now + TTL_MS, now };
  const lease = { namespace: "default", worker: 512, token: "t", holder: "bench", layout, policy };
  globalThis.fetch = async () =>
    Response.json({ ...lease, ...times, renewAfter: now + TTL_MS / 2 }, { status: 201 });
  const minter = await Minter.open({ url: "http://m", namespace: "default", ttlMs: TTL_MS });
  // Bursts within maxBorrow: the clock catches up with the IDs that the last one borrowed.
  const before = () => pause(Math.ceil(ids / BLOCK_IDS) + 1);
  return { ids, before, run: () => runOf(minter) };
}

const NEXT_IDS = 100_000;
const TAKES = 40;

export const OWN_PIECES = {
  "Date.now()": () => ({ ids: 20_000, run: () => sumOf(20_000, () => Date.now()) }),
  "client nextNow() from its buffer": () => clientPiece((id) => id.length),
  "client nextNow(), each text read": () => clientPiece(lastOf),
  "minter next(), each text read": () =>
    minterPiece(NEXT_IDS, (minter) => sumOf(NEXT_IDS, () => lastOf(minter.next()))),
  "minter take(4096), each text read": () =>
    minterPiece(BLOCK_IDS * TAKES, (minter) =>
      sumOf(TAKES, () => minter.take(BLOCK_IDS).reduce((sum, id) => sum + lastOf(id), 0)),
    ),
  "4096 IDs: BigInt.toString + JSON.stringify": () =>
    perBlock((_, index) => stringified(index).length),
  "4096 IDs: codec, JSON bytes": jsonPiece,
  "4096 IDs: codec, JSON bytes, decoded to a string": () =>
    perBlock((block) => jsonOf(block).length),
  "4096 IDs: codec, lines": () =>
    perBlock((block) => writeBlock(target, 0, block, "decimal", LINES)),
  "4096 IDs: codec, JSON bytes, hex": () => perBlock((block) => writeJson(block, "hex")),
  "4096 IDs: codec, JSON bytes, base62": () => perBlock((block) => writeJson(block, "base62")),
  "core: step + blocksOf, grants of 1": () => linePiece(1),
  "core: step + blocksOf, grants of 4096": () => linePiece(4096),
} satisfies Pieces;
