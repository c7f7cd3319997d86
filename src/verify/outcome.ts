/** Answers and the outcomes of requests: IDs, a failure, or a malformed answer. */
import { isDecimal } from "../core/segment/segment-definition.ts";

/** A failed request. `definite`: refused before anything was granted; else IDs may have been granted, and were lost. */
export interface Failed {
  readonly kind: "definite" | "indefinite";
  /** The server's code, `http_STATUS`, or a network failure: `timeout`, `connection_refused`, `body_cut`, … */
  readonly code: string;
  /** The server's text about the failure. */
  readonly detail?: string | undefined;
}

/** Status 200, but not an answer of this dialect. */
export interface Malformed {
  readonly kind: "malformed";
  readonly code: string;
  readonly text: string;
}

/** The outcome of a request. */
export type Outcome =
  /** The IDs in the order of the answer, and the shard that it names. */
  | {
      readonly kind: "acknowledged";
      readonly ids: readonly bigint[];
      readonly shard?: number | undefined;
    }
  | Failed
  | Malformed;

/** An answer as it came from the network, complete as far as HTTP can tell. */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly text: string;
  /** The header `edgeflake-shard`. */
  readonly shard: string | undefined;
  /** False if it ended with the connection, so that it may have been cut off. */
  readonly delimited: boolean;
}

/** The server's words about a failure. */
interface Said {
  readonly code?: string | undefined;
  readonly detail?: string | undefined;
  readonly definite?: boolean | undefined;
}

/** The outcome of a failure. Unless the server says otherwise, a 4xx is definite and any other status is not. */
export function failureOf(status: number, { code, detail, definite }: Said): Failed {
  const kind = (definite ?? (status >= 400 && status < 500)) ? "definite" : "indefinite";
  return { kind, code: code ?? `http_${status}`, detail };
}

/** The outcome of a 200 that can't be read: malformed if it is certainly complete. */
export function unreadable({ text, delimited }: Answer): Outcome {
  if (delimited) return { kind: "malformed", code: "malformed_answer", text };
  // HTTP/1.0 allows an answer without a length, and it looks the same if it was cut off.
  const detail = "neither content-length nor chunked: the answer may be incomplete";
  return { kind: "indefinite", code: "body_cut", detail };
}

/** The outcome of an answer that is longer than any of this dialect: malformed if it is a 200, else a failure. */
export function tooLong(status: number, start: string): Failed | Malformed {
  const code = "answer_too_long";
  if (status === 200) return { kind: "malformed", code, text: start };
  return failureOf(status, { code, detail: start });
}

/** The outcome of a 200 with these IDs: acknowledged if each is a decimal of 0 to 2^63 − 1, without leading zero. */
export function idsOf(texts: readonly unknown[], answer: Answer, shard?: number): Outcome {
  const ids: bigint[] = [];
  for (const text of texts) {
    if (typeof text !== "string" || !isDecimal(text)) return unreadable(answer);
    ids.push(BigInt(text));
  }
  return { kind: "acknowledged", ids, shard };
}
