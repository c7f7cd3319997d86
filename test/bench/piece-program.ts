/** A process that measures pieces, as its parent asks: `piece-program.ts <IDs to check> <piece id>…`. */
import * as v from "valibot";
import { NPM_PIECES } from "./npm-pieces.ts";
import { OWN_PIECES } from "./own-pieces.ts";
import type { Piece } from "./piece.ts";
import { type FromPieces, ToPieces } from "./piece-messages.ts";
import { coreWaitMsOf, gain } from "./proc.ts";

const [idsChecked = "", ...pieceIds] = process.argv.slice(2);
const pieces = makePieces();

async function makePieces(): Promise<Map<string, Piece>> {
  const made = new Map<string, Piece>();
  for (const entry of [...OWN_PIECES, ...NPM_PIECES]) {
    if (pieceIds.includes(entry.id)) made.set(entry.id, await entry.make(Number(idsChecked)));
  }
  return made;
}

async function sampleOf(piece: Piece, forMs: number): Promise<FromPieces> {
  const coreWaitBeforeMs = coreWaitMsOf(process.pid);
  const wallStartMs = performance.now();
  let [timedMs, runs, consumed] = [0, 0, 0];
  while (timedMs < forMs) {
    await piece.prepare?.();
    const startMs = performance.now();
    consumed += piece.run();
    timedMs += performance.now() - startMs;
    runs += 1;
    piece.keep?.();
  }
  return {
    kind: "sample",
    nsPerId: (timedMs * 1e6) / (runs * piece.idsPerRun),
    consumed,
    wallMs: performance.now() - wallStartMs,
    coreWaitMs: gain(coreWaitBeforeMs, coreWaitMsOf(process.pid)),
  };
}

async function answerTo(asked: ToPieces): Promise<FromPieces> {
  const piece = (await pieces).get(asked.piece);
  if (!piece) throw new Error(`no piece ${asked.piece} here`);
  if (asked.kind === "sample") return await sampleOf(piece, asked.forMs);
  const verdict = piece.judge?.();
  if (!verdict) throw new Error(`${asked.piece} is no generator`);
  return { kind: "verdict", verdict };
}

// Said with the first answer.
pieces.catch(() => {});
process.on("message", (message: unknown) => {
  answerTo(v.parse(ToPieces, message)).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      const failed: FromPieces = { kind: "failed", reason: String(error) };
      process.send?.(failed);
    },
  );
});
process.on("disconnect", () => process.exit());
