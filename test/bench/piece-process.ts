/** The bench's side of a process that measures pieces. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import type { Verdict } from "./piece.ts";
import { FromPieces, type ToPieces } from "./piece-messages.ts";

const PROGRAM = fileURLToPath(new URL("piece-program.ts", import.meta.url));

export type Sample = Extract<FromPieces, { kind: "sample" }>;

/** It gave no answer in time, and was ended. */
export class NoAnswerError extends Error {}

export class PieceProcess {
  readonly #child: ChildProcess;
  #answer: PromiseWithResolvers<FromPieces> | undefined;
  #lost: Error | undefined;

  constructor(pieceIds: readonly string[], idsChecked: number) {
    this.#child = fork(PROGRAM, [`${idsChecked}`, ...pieceIds]);
    this.#child.on("message", (message: unknown) =>
      this.#answer?.resolve(v.parse(FromPieces, message)),
    );
    this.#child.once("error", (error) => this.#fail(error));
    this.#child.once("exit", (code, signal) =>
      this.#fail(new Error(`its process ended: ${signal ?? code}`)),
    );
  }

  /** One question at a time. Rejects where it failed, and with NoAnswerError where it took too long. */
  async sample(piece: string, forMs: number, withinMs: number): Promise<Sample> {
    const answer = await this.#ask({ kind: "sample", piece, forMs }, withinMs);
    if (answer.kind === "sample") return answer;
    throw new Error(reasonOf(answer));
  }

  async judge(piece: string, withinMs: number): Promise<Verdict> {
    const answer = await this.#ask({ kind: "judge", piece }, withinMs);
    if (answer.kind === "verdict") return answer.verdict;
    throw new Error(reasonOf(answer));
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }

  async #ask(asked: ToPieces, withinMs: number): Promise<FromPieces> {
    if (this.#lost) throw this.#lost;
    const answer = Promise.withResolvers<FromPieces>();
    this.#answer = answer;
    const late = setTimeout(() => {
      this.#fail(new NoAnswerError(`no answer within ${withinMs / 1000} s`));
      this.stop();
    }, withinMs);
    try {
      this.#child.send(asked, (error) => error && this.#fail(error));
      return await answer.promise;
    } finally {
      clearTimeout(late);
    }
  }

  #fail(error: Error): void {
    this.#lost ??= error;
    this.#answer?.reject(this.#lost);
  }
}

function reasonOf(answer: FromPieces): string {
  return answer.kind === "failed" ? answer.reason : `unexpected answer: ${answer.kind}`;
}
