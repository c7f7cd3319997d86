/**
 * The last trial of a world, after all mishaps: in each namespace one shard is dead for a while. Every isolate gets
 * requests of each kind:
 *  T1 A request that is not pinned gets IDs.
 *  T2 A pinned or strict request gets IDs of its own shard, or, if that shard is dead, `shard_unavailable`.
 *  T3 An isolate that has found its home dead avoids it, and tries it again with one request at a time, no more
 *     often than every UNAVAILABLE_REST_MS.
 *  T4 A home that works again serves again.
 * All within their deadlines (A2).
 */
import type { BlocksAnswer } from "../../../src/core/blocks/blocks-answer.ts";
import {
  ANSWER_MAX_MS,
  CALL_TRIES_MAX,
  STALL_GRACE_MS,
  UNAVAILABLE_REST_MS,
} from "../../../src/service/limits.ts";
import type { Answers } from "./answers.ts";
import { type Call, DEATHS, type DurableObject } from "./durable-object.ts";
import type { History, Space } from "./history.ts";
import type { Outcome } from "./instance.ts";
import type { Isolate } from "./isolate.ts";
import type { Platform } from "./platform.ts";
import { runsOfBlocks } from "./runs.ts";
import type { World } from "./world.ts";

/** The home of many isolates: without the caller's place, it is a shard of the first region. */
const DEAD_SHARD = 4;
/** Pinned requests: strict at the isolate's home, and by name and key. */
const PINS: readonly object[] = [
  { order: "strict" },
  { shard: DEAD_SHARD, order: "strict" },
  { shard: 0, order: "strict" },
  { key: "one" },
  { key: "two" },
];
/** Between two requests of one isolate for one namespace, in ms. */
const ASK_MS = 400;
/** How long shards are dead, in ms: two rests and more. */
const DEAD_MS = 2.5 * UNAVAILABLE_REST_MS;
/** The time in which a shard serves again, in ms: a rest, and a request that tries it. */
const MENDED_MS = UNAVAILABLE_REST_MS + 2000;
/** How often the trial checks for a working home, and the pause between two checks, in ms. */
const HOME_ASKS = 6;
const HOME_ASK_MS = 1000;
/** The time in which all requests get a response, in ms. */
const ANSWERED_MS = 10_000;
/** The messages of a call and of its repeats take no longer, in ms. */
const TRAVEL_MS = 100;
/** Clocks drift by 0.1 % at most. */
const REST_MS = UNAVAILABLE_REST_MS * 0.99;

/** The record of one isolate and one namespace. */
interface Seen {
  readonly isolate: Isolate;
  readonly space: Space;
  /** Which shard serves each of PINS. */
  readonly shards: number[];
  /** When requests that are not pinned found the shard dead. */
  readonly missedAtMs: number[];
}

export interface Trial {
  readonly platform: Platform;
  readonly history: History;
  readonly answers: Answers;
  readonly spaces: readonly Space[];
}

export class DeadShardTrial {
  readonly #world: World;
  readonly #trial: Trial;
  readonly #seen: readonly Seen[];
  readonly #dead: readonly DurableObject[];
  #open = 0;
  /** Tries of a home that was dead. */
  tries = 0;

  constructor(world: World, trial: Trial) {
    this.#world = world;
    this.#trial = trial;
    const { platform } = trial;
    const spaces = trial.spaces.filter(({ layout }) => layout);
    this.#seen = platform.isolates.flatMap((isolate) =>
      spaces.map((space) => ({ isolate, space, shards: [], missedAtMs: [] })),
    );
    this.#dead = spaces.map(({ name }) => platform.object("Shard", `${name}/${DEAD_SHARD}`));
  }

  async run(): Promise<void> {
    // Calls reveal an instance with a frozen clock, and some instances had no call since.
    for (const object of this.#trial.platform.objects) object.evict();
    await this.#all((seen) => this.#learn(seen));
    for (const [at, object] of this.#dead.entries()) object.death = DEATHS[at % DEATHS.length];
    const untilMs = this.#world.nowMs + DEAD_MS;
    for (const seen of this.#seen) this.#askOn(seen, untilMs);
    await this.#world.run(DEAD_MS + ANSWERED_MS);
    for (const seen of this.#seen) this.#checkTries(seen);
    for (const object of this.#dead) object.death = undefined;
    const mendedMs = this.#world.nowMs + MENDED_MS;
    for (const seen of this.#seen) this.#askOn(seen, mendedMs);
    await this.#world.run(MENDED_MS + ANSWERED_MS);
    await this.#all((seen) => this.#checkHome(seen));
    if (this.#open > 0) this.#world.broken(`${this.#open} requests of the trial are open`);
    await this.#world.run(0);
  }

  /** A call found an object dead. */
  readonly missed = ({ plan }: DurableObject, { args, from }: Call): void => {
    const isStrict = args[2] === true;
    if (isStrict) return;
    const seen = this.#seen.find(
      ({ isolate, space }) =>
        isolate.machine === from && plan.name === `${space.name}/${DEAD_SHARD}`,
    );
    seen?.missedAtMs.push(this.#world.nowMs);
  };

  async #all(begin: (seen: Seen) => void): Promise<void> {
    for (const seen of this.#seen) begin(seen);
    await this.#world.run(ANSWERED_MS);
  }

  #learn({ isolate, space, shards }: Seen): void {
    for (const [at, pin] of PINS.entries()) {
      this.#ask(isolate, space, pin, (outcome) => {
        shards[at] = this.#shardOf(space, outcome) ?? -1;
      });
    }
  }

  #askOn(seen: Seen, untilMs: number): void {
    const { random } = this.#world;
    this.#world.after(random.between(1, 2 * ASK_MS), () => {
      if (this.#world.nowMs >= untilMs) return;
      if (random.isOneOf(2)) this.#askPinned(seen, random.between(0, PINS.length - 1));
      else {
        for (let left = random.between(1, 3); left > 0; left -= 1) this.#askUnpinned(seen);
      }
      this.#askOn(seen, untilMs);
    });
  }

  #askUnpinned({ isolate, space }: Seen): void {
    this.#ask(isolate, space, {}, (outcome) => {
      if (!outcome.ok) this.#broken("T1", space, outcome);
    });
  }

  #askPinned({ isolate, space, shards }: Seen, at: number): void {
    const isDead = (): boolean => this.#dead.some(({ death }) => death);
    const wasDead = isDead();
    this.#ask(isolate, space, PINS[at] ?? {}, (outcome) => {
      // A request that was open when the shard died or recovered may have had either result.
      const mustFail = shards[at] === DEAD_SHARD && wasDead && isDead();
      const own = mustFail ? "shard_unavailable" : shards[at];
      const got = outcome.ok ? this.#shardOf(space, outcome) : Object(outcome.error).code;
      if (got !== own) this.#broken("T2", space, outcome);
    });
  }

  #checkTries({ space, shards, missedAtMs }: Seen): void {
    const [firstMs] = missedAtMs;
    const isHomeDead = shards[0] === DEAD_SHARD;
    if (firstMs === undefined) {
      if (isHomeDead) this.#world.broken(`T3: a dead home of ${space.name} was never tried`);
      return;
    }
    const noticedMs = ANSWER_MAX_MS + (space.policy?.maxWaitMs ?? 0) + STALL_GRACE_MS + TRAVEL_MS;
    let lastMs = firstMs;
    let calls = CALL_TRIES_MAX;
    // Requests that were open when the first one failed may try a second time.
    for (const atMs of missedAtMs.filter((one) => one > firstMs + 2 * noticedMs)) {
      // A call that throws within its deadline is made again.
      const isRepeat = atMs - lastMs < noticedMs && calls < CALL_TRIES_MAX;
      calls = isRepeat ? calls + 1 : 1;
      if (!isRepeat && atMs - lastMs < REST_MS) {
        this.#world.broken(`T3: a dead shard of ${space.name} was tried after ${atMs - lastMs} ms`);
      }
      this.tries += 1;
      lastMs = atMs;
    }
    if (isHomeDead && lastMs === firstMs) {
      this.#world.broken(`T3: a dead home of ${space.name} was not tried again`);
    }
  }

  /** Some isolates may still avoid it, because a clock is behind. Two failures in a row are more than the one trial. */
  #checkHome(seen: Seen, asksLeft = HOME_ASKS, inARow = 0): void {
    const { isolate, space, shards } = seen;
    this.#ask(isolate, space, {}, (outcome) => {
      const served = this.#shardOf(space, outcome) === shards[0] ? inARow + 1 : 0;
      if (served === 2) return;
      if (asksLeft === 1) this.#broken("T4", space, outcome);
      else this.#world.after(HOME_ASK_MS, () => this.#checkHome(seen, asksLeft - 1, served));
    });
  }

  /** Requests an ID that no memory has. */
  #ask(isolate: Isolate, space: Space, pin: object, then: (outcome: Outcome) => void): void {
    const { history, answers } = this.#trial;
    this.#open += 1;
    isolate.rpc("blocks", [space.name, 1, pin], (outcome) => {
      this.#open -= 1;
      answers.left(space, Object.keys(pin).length > 0, outcome);
      if (outcome.ok) history.got(space, runsOfBlocks(outcome.value as BlocksAnswer), "asked");
      then(outcome);
    });
  }

  #shardOf(space: Space, outcome: Outcome): number | undefined {
    if (outcome.ok) return (outcome.value as BlocksAnswer).shard;
    this.#broken("T2", space, outcome);
    return undefined;
  }

  #broken(what: string, { name }: Space, outcome: Outcome): void {
    const got = outcome.ok ? JSON.stringify(outcome.value) : `${outcome.error}`;
    this.#world.broken(`${what}: a request for ${name} got ${got}`);
  }
}
