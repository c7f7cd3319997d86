/** Answers and the outcomes of requests: IDs, a failure, or a malformed answer. */
import { isDecimal } from "../core/segment/segment-definition.ts";

/** The outcome of a request. */
export type Outcome =
  | {
      readonly kind: "acknowledged";
      /** In the order of the answer. */
      readonly ids: readonly bigint[];
      /** The shard that the answer names. */
      readonly shard?: number | undefined;
    }
  | {
      /** `definite`: refused before anything was granted. `indefinite`: IDs may have been granted, and were lost. */
      readonly kind: "definite" | "indefinite";
      readonly code: string;
      /** The server's text about the failure. */
      readonly detail?: string | undefined;
    }
  /** Status 200 and complete, but not an answer of this dialect. */
  | { readonly kind: "malformed"; readonly text: string; readonly code?: string };

/** An answer as it came from the network, complete as far as HTTP can tell. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The header `edgeflake-shard`. */
  readonly shard: string | undefined;
  /** False if it ended with the connection, so that it may have been cut off. */
  readonly delimited: boolean;
}

/** The server's words about a failure. */
export interface FailureSaid {
  readonly code?: string | undefined;
  readonly detail?: string | undefined;
  readonly definite?: boolean | undefined;
}

/** The outcome of a failure. Unless the server says otherwise, a 4xx is definite and any other status is not. */
export function failureOf(status: number, said: FailureSaid = {}): Outcome {
  const definite = said.definite ?? (status >= 400 && status < 500);
  return {
    kind: definite ? "definite" : "indefinite",
    code: said.code ?? `http_${status}`,
    detail: said.detail,
  };
}

/** The outcome of a 200 that can't be read: malformed if it is certainly complete. */
export function unreadable({ text, delimited }: Answer): Outcome {
  return delimited ? { kind: "malformed", text } : NOT_DELIMITED;
}

/** HTTP/1.0 allows an answer without a length, and it looks the same if it was cut off. */
const NOT_DELIMITED = {
  kind: "indefinite",
  code: "body_cut",
  detail: "neither content-length nor chunked: the answer may be incomplete",
} as const;

/** The outcome of an answer that is too long: malformed if it is a 200, else a failure. */
export function tooLong(status: number, start: string): Outcome {
  const code = "answer_too_long";
  if (status === 200) return { kind: "malformed", text: start, code };
  return failureOf(status, { code, detail: start });
}

/** Reads an ID: 0 to 2^63 − 1, without sign or leading zero. Undefined for any other text. */
export function readDecimal(text: string): bigint | undefined {
  return isDecimal(text) ? BigInt(text) : undefined;
}

/** Reads all texts; undefined if one is not a canonical decimal. */
export function readDecimals(texts: readonly unknown[]): bigint[] | undefined {
  const ids: bigint[] = [];
  for (const text of texts) {
    const id = typeof text === "string" ? readDecimal(text) : undefined;
    if (id === undefined) return undefined;
    ids.push(id);
  }
  return ids;
}
