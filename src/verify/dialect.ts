/** How a server is asked for IDs, and how its answers are read. */
import type { Answer, Outcome } from "./outcome.ts";

/** What of the command line decides how a request looks. */
export interface Asking {
  readonly key: string | undefined;
  readonly namespace: string;
  readonly count: number;
  readonly order: "fresh" | "strict";
  readonly shard: number | undefined;
}

export interface HttpRequest {
  /** Path and query, to be put behind the URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Dialect {
  /** A request for `count` IDs, of one key's line where one is given. */
  request(asking: Asking, orderKey: string | undefined): HttpRequest;
  read(answer: Answer): Outcome;
  /** `clock`: IDs have a time where their layout is known. `none`: they are numbers. `either`: the namespace says. */
  readonly kind: "clock" | "none" | "either";
  /** Whether it takes `key`, `shard` and `order`. */
  readonly placed: boolean;
  /** IDs at once, at most. */
  readonly countMax: number | undefined;
}
