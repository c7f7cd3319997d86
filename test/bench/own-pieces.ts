/** What ours is made of, and what it is held against. All in one process: a round's ratios see the same machine. */
import { type Block, blocksOf } from "../../src/core/block.ts";
import { bytesMax, type Surround, writeAscii, writeBlock } from "../../src/core/block-writer.ts";
import type { Encoding } from "../../src/core/codec.ts";
import { tickStartMs } from "../../src/core/layout.ts";
import { startLine, step } from "../../src/core/line.ts";
import { PRESETS } from "../../src/core/presets.ts";
import { clientNext } from "./client-row.ts";
import { minterNext, minterTake } from "./minter-row.ts";
import type { Piece, PieceEntry } from "./piece.ts";

const BLOCK_IDS = 4096;
/** Each at another place within ten thousand: the digits that a block carries into differ. */
const BLOCKS: readonly Block[] = Array.from({ length: 16 }, (_, index) => ({
  first: 220_000_000_000_000_000n + BigInt(index) * (1n << 22n),
  count: BLOCK_IDS,
}));
const JSON_TEXTS: Surround = { before: '"', after: '",' };
const LINES: Surround = { before: "", after: "\n" };
const CLOSING_BRACKET = 0x5d;

const DATE_NOW_CALLS = 20_000;
const CORE_GRANTS = 4096;

function dateNow(): Piece {
  return {
    idsPerRun: DATE_NOW_CALLS,
    run: () => {
      let sum = 0;
      for (let call = 0; call < DATE_NOW_CALLS; call += 1) sum += Date.now();
      return sum;
    },
  };
}

function idsOf({ first, count }: Block): bigint[] {
  return Array.from({ length: count }, (_, offset) => first + BigInt(offset));
}

/** The IDs are bigints already: to make them of a block would come on top. */
function bigintToJson(): Piece {
  const blocks = BLOCKS.map(idsOf);
  let turn = 0;
  return {
    idsPerRun: BLOCK_IDS,
    run: () => {
      turn = (turn + 1) % blocks.length;
      return JSON.stringify((blocks[turn] ?? []).map((id) => id.toString())).length;
    },
  };
}

/** `length` of what was written to the start of the target. */
type Write = (target: Uint8Array, block: Block) => number;

function jsonIn(encoding: Encoding): Write {
  return (target, block) => {
    const start = writeAscii(target, 0, "[");
    const end = writeBlock(target, start, block, encoding, JSON_TEXTS);
    target[end - 1] = CLOSING_BRACKET;
    return end;
  };
}

const lines: Write = (target, block) => writeBlock(target, 0, block, "decimal", LINES);

function codec(write: Write, then: "bytes" | "text"): Piece {
  const target = new Uint8Array(1 + bytesMax(BLOCKS.slice(-1), "decimal", JSON_TEXTS));
  const decoder = new TextDecoder();
  let turn = 0;
  return {
    idsPerRun: BLOCK_IDS,
    run: () => {
      turn = (turn + 1) % BLOCKS.length;
      const block = BLOCKS[turn];
      const end = block ? write(target, block) : 0;
      if (then === "text") return decoder.decode(target.subarray(0, end)).length;
      return end + (target[end - 2] ?? 0);
    },
  };
}

/** Throws where the codec does not write what the reference does. */
function checkedJson(then: "bytes" | "text"): Piece {
  const target = new Uint8Array(1 + bytesMax(BLOCKS.slice(-1), "decimal", JSON_TEXTS));
  for (const block of BLOCKS) {
    const text = new TextDecoder().decode(target.subarray(0, jsonIn("decimal")(target, block)));
    if (text !== JSON.stringify(idsOf(block).map(String))) {
      throw new Error(`the codec writes another JSON than JSON.stringify, from ${block.first} on`);
    }
  }
  return codec(jsonIn("decimal"), then);
}

/** A line that is used up tick by tick, as its clock goes on. */
function core(count: number): Piece {
  const preset = PRESETS.get("default");
  if (!preset) throw new Error("there is no preset default");
  const { layout, policy } = preset;
  let state = startLine([0]);
  let granted = 0;
  return {
    idsPerRun: CORE_GRANTS * count,
    run: () => {
      let sum = 0;
      for (let index = 0; index < CORE_GRANTS; index += 1) {
        const nowMs = tickStartMs(layout, Math.floor(granted / layout.sequenceCount));
        const outcome = step(layout, policy, state, {
          nowMs,
          callerNowMs: nowMs,
          count,
          waitLeftMs: policy.maxWaitMs,
          random: 0,
          lastLaneOnly: false,
        });
        state = outcome.state;
        if (outcome.kind !== "granted") throw new Error(`the line answers: ${outcome.kind}`);
        for (const block of blocksOf(layout, 1, [outcome.grant])) sum += block.count;
        granted += count;
      }
      return sum;
    },
  };
}

/** `read`: looks at a character of each text. V8 joins a text's parts not before that. */
function client(read: boolean): Piece {
  const source = clientNext();
  return {
    idsPerRun: source.idsReady,
    prepare: () => source.ready(),
    run: () => {
      let sum = 0;
      for (let index = 0; index < source.idsReady; index += 1) {
        const id = source.next();
        sum += read ? id.charCodeAt(id.length - 1) : id.length;
      }
      return sum;
    },
  };
}

const TABLE = [
  { id: "dateNow", name: "Date.now()", make: dateNow },
  { id: "client", name: "client nextNow() from its buffer", make: () => client(false) },
  { id: "clientRead", name: "client nextNow(), each text read", make: () => client(true) },
  { id: "minter", name: "minter next(), each text read", make: minterNext },
  { id: "minterTake", name: "minter take(4096), each text read", make: minterTake },
  {
    id: "bigintToJson",
    name: "4096 IDs: BigInt.toString + JSON.stringify",
    make: bigintToJson,
  },
  { id: "codecJson", name: "4096 IDs: codec, JSON bytes", make: () => checkedJson("bytes") },
  {
    id: "codecJsonText",
    name: "4096 IDs: codec, JSON bytes, decoded to a string",
    make: () => checkedJson("text"),
  },
  { id: "codecLines", name: "4096 IDs: codec, lines", make: () => codec(lines, "bytes") },
  {
    id: "codecHex",
    name: "4096 IDs: codec, JSON bytes, hex",
    make: () => codec(jsonIn("hex"), "bytes"),
  },
  {
    id: "codecBase62",
    name: "4096 IDs: codec, JSON bytes, base62",
    make: () => codec(jsonIn("base62"), "bytes"),
  },
  { id: "coreOne", name: "core: step + blocksOf, grants of 1", make: () => core(1) },
  { id: "coreMany", name: "core: step + blocksOf, grants of 4096", make: () => core(4096) },
] as const satisfies readonly PieceEntry[];

export type OwnPieceId = (typeof TABLE)[number]["id"];
export const OWN_PIECES: readonly (PieceEntry & { readonly id: OwnPieceId })[] = TABLE;
