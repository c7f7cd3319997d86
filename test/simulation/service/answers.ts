/**
 * The checks of each response as it leaves its isolate, by number:
 *  A1 An error has a code, and the code is not `internal`.
 *  A2 With correct clocks, the response leaves within its deadline: that of a pinned request, or those of two shards,
 *     plus the wait that its namespace allows each of them. The isolate's own stalls do not count.
 */
import {
  ANSWER_MAX_MS,
  CALL_TRIES_MAX,
  FIRST_WAIT_MAX_MS,
  OTHER_ANSWER_MIN_MS,
  PINNED_ANSWER_MAX_MS,
  STALL_GRACE_MS,
  UNPINNED_ANSWER_MAX_MS,
} from "../../../src/service/limits.ts";
import type { Space } from "./history.ts";
import type { Outcome } from "./instance.ts";
import type { HttpAnswer } from "./isolate.ts";
import type { World } from "./world.ts";

/** Clocks count whole ms, and drift. */
const CLOCKS_MS = 10;

export class Answers {
  readonly #world: World;
  readonly #clocksAreTrue: boolean;

  constructor(world: World, clocksAreTrue: boolean) {
    this.#world = world;
    this.#clocksAreTrue = clocksAreTrue;
  }

  /** An isolate answers a request for IDs of that namespace; `isPinned`: to one shard. */
  left({ name, policy }: Space, isPinned: boolean, { served, ...outcome }: Outcome): void {
    // The isolate ended with the request.
    if (!served) return;
    const code = outcome.ok ? codeOf(outcome.value) : fieldsOf(outcome.error).code;
    if ((!outcome.ok && code === undefined) || code === "internal") {
      const why = outcome.ok ? code : outcome.error;
      this.#world.broken(`A1: a request for ${name} failed: ${why}`);
    }
    if (!this.#clocksAreTrue || !policy) return;
    // The wait of a shard that never answers is unknown. Each call may be late by the grace.
    const shardMs = policy.maxWaitMs + STALL_GRACE_MS * CALL_TRIES_MAX;
    const firstMs = Math.min(shardMs, FIRST_WAIT_MAX_MS + STALL_GRACE_MS) + ANSWER_MAX_MS;
    const mostMs =
      CLOCKS_MS +
      (isPinned
        ? shardMs + PINNED_ANSWER_MAX_MS
        : Math.max(UNPINNED_ANSWER_MAX_MS, firstMs + shardMs + OTHER_ANSWER_MIN_MS));
    if (served.awakeMs > mostMs) {
      this.#world.broken(`A2: a request for ${name} took ${served.awakeMs} of ${mostMs} ms`);
    }
  }
}

/** The code of a problem over HTTP. */
function codeOf(value: unknown): unknown {
  const { status, text } = fieldsOf(value) as Partial<HttpAnswer>;
  return status === undefined || status < 400 ? undefined : JSON.parse(text ?? "{}").code;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return Object(value);
}
