/** The preloaded faults (faults.c) of one service: compiled for it, set through a control file. */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("faults.c", import.meta.url));

/** The fields of the control file: signed numbers of 8 bytes. */
const CLOCK_OFFSET_AT = 0;
const WRITE_ERRNO_AT = 8;
const FAILED_WRITES_AT = 16;
const CONTROL_BYTES = 24;

export type DiskFault = "ENOSPC" | "EROFS" | "EIO";

/** Why this machine can't use the shim; undefined if it can. */
export function whyNoShim(): string | undefined {
  if (process.platform !== "linux") return `this is ${process.platform}, and the shim is for Linux`;
  const { error } = spawnSync("cc", ["--version"]);
  return error && "there is no compiler called cc";
}

export class Shim {
  readonly #control: number;
  /** The environment that makes the service's process have these faults. */
  readonly variables: Readonly<Record<string, string>>;

  /** Compiles it into `folder`; writes will fail below `dataFolder`, an absolute path without links. */
  constructor(folder: string, dataFolder: string) {
    const library = path.join(folder, "faults.so");
    const compiled = spawnSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, SOURCE]);
    if (compiled.status !== 0) throw new Error(`faults.c does not compile: ${compiled.stderr}`);
    const controlPath = path.join(folder, "faults");
    this.#control = openSync(controlPath, "w+");
    writeSync(this.#control, Buffer.alloc(CONTROL_BYTES), 0, CONTROL_BYTES, 0);
    this.variables = {
      LD_PRELOAD: library,
      EDGEFLAKE_FAULTS: controlPath,
      EDGEFLAKE_FAULTS_FOLDER: dataFolder,
    };
  }

  /** Sets the offset of the service's wall clock, in ms. */
  setClock(offsetMs: number): void {
    this.#write(CLOCK_OFFSET_AT, BigInt(offsetMs) * 1000n);
  }

  /** Sets the error of every write to the data folder; undefined: writes succeed. */
  failWrites(fault: DiskFault | undefined): void {
    this.#write(WRITE_ERRNO_AT, BigInt(fault === undefined ? 0 : constants.errno[fault]));
  }

  /** How many writes have failed so far. */
  get failedWrites(): bigint {
    const bytes = Buffer.alloc(8);
    readSync(this.#control, bytes, 0, bytes.length, FAILED_WRITES_AT);
    return bytes.readBigInt64LE();
  }

  close(): void {
    closeSync(this.#control);
  }

  #write(at: number, value: bigint): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    writeSync(this.#control, bytes, 0, bytes.length, at);
  }
}
