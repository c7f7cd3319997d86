/** Answers, and what came of the requests: IDs, a failure, or what is no answer. */
import { isDecimal } from "../core/segment/segment-definition.ts";

/** What came of a request. */
export type Outcome =
  | {
      readonly kind: "acknowledged";
      /** In the order of the answer. */
      readonly ids: readonly bigint[];
      /** What the answer says of where they come from. */
      readonly shard?: number | undefined;
    }
  | {
      /** `definite`: refused before anything was granted. `indefinite`: IDs may have been granted, and were lost. */
      readonly kind: "definite" | "indefinite";
      readonly code: string;
      /** What the server said about it. */
      readonly detail?: string | undefined;
    }
  /** Status 200 and whole, but not what this dialect answers. */
  | { readonly kind: "malformed"; readonly text: string; readonly code?: string };

/** An answer as it came from the network, whole as far as HTTP can tell. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The header `edgeflake-shard`. */
  readonly shard: string | undefined;
  /** False where it ended with the connection: that it was cut can't be told then. */
  readonly delimited: boolean;
}

/** What a server said of a failure. */
export interface FailureSaid {
  readonly code?: string | undefined;
  readonly detail?: string | undefined;
  readonly definite?: boolean | undefined;
}

/** What a status means where it comes with no better word: a 4xx was refused, of all else nothing is known. */
export function failureOf(status: number, said: FailureSaid = {}): Outcome {
  const definite = said.definite ?? (status >= 400 && status < 500);
  return {
    kind: definite ? "definite" : "indefinite",
    code: said.code ?? `http_${status}`,
    detail: said.detail,
  };
}

/** A 200 that can't be read: a broken promise where it is whole for sure. */
export function unreadable({ text, delimited }: Answer): Outcome {
  return delimited ? { kind: "malformed", text } : { ...NOT_DELIMITED };
}

/** What HTTP/1.0 allows; where it was cut, it looks the same. */
const NOT_DELIMITED = {
  kind: "indefinite",
  code: "body_cut",
  detail: "neither content-length nor chunks: that it is whole can't be told",
} as const;

/** An answer longer than all that was asked for takes: no answer where it is a 200, else a failure like others. */
export function tooLong(status: number, start: string): Outcome {
  const code = "answer_too_long";
  if (status === 200) return { kind: "malformed", text: start, code };
  return failureOf(status, { code, detail: start });
}

/** An ID as the service writes it: 0 to 2^63 − 1, no sign, no leading zero. Undefined for every other text. */
export function readDecimal(text: string): bigint | undefined {
  return isDecimal(text) ? BigInt(text) : undefined;
}

/** All of them, or undefined where one is not canonical. */
export function readDecimals(texts: readonly unknown[]): bigint[] | undefined {
  const ids: bigint[] = [];
  for (const text of texts) {
    const id = typeof text === "string" ? readDecimal(text) : undefined;
    if (id === undefined) return undefined;
    ids.push(id);
  }
  return ids;
}
