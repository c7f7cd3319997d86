/**
 * A world in which shards are taken over all the time, and callers are near: chains of requests, each sent as soon as
 * the one before is answered, meet a superseded instance and its successor by turns, within the few ms in which the
 * older one may trust what it read of its mark. Layouts with lanes: only the last one is in strict order.
 * Checks: H1 to H4 of the history (H4 is the order of all strict answers of a shard), and O1.
 */
import type { BlocksAnswer } from "../../../src/core/blocks/blocks-answer.ts";
import { PRESETS } from "../../../src/core/layout/presets.ts";
import { Answers } from "./answers.ts";
import type { Evaluate } from "./bundle.ts";
import { History, type Space } from "./history.ts";
import type { Outcome } from "./instance.ts";
import type { Isolate } from "./isolate.ts";
import { ObjectWatch } from "./object-watch.ts";
import { Platform } from "./platform.ts";
import { runsOfBlocks } from "./runs.ts";
import { World } from "./world.ts";

const START_MS = 1_790_000_000_000;
const SPACES: readonly Space[] = ["js53", "node"].map((name) => {
  const preset = PRESETS.get(name);
  if (!preset) throw new Error(`there is no preset ${name}`);
  return { name, layout: preset.layout, policy: preset.policy };
});
const SHARD = 0;
const CHAINS = 8;
/** Between an answer and the next request of a chain, in ms. */
const THINK_MS = [0, 1] as const;
const COUNT_MAX = 5;
/** How long the requests go to one instance or two, and the pause in between, in ms. */
const ASKED_MS = 15;
const PAUSE_MS = [1, 400] as const;
/** How many requests two instances get, if both live so long. */
const BURSTS = 2;
/** Until the next takeover, in ms: the longest tick ends, and all lanes are open again. */
const IDLE_MS = 1000;
const OVERLAP_MS = 5000;
/** One request in so many is strict; 1: each one. */
const STRICT_ONE_IN = [1, 8] as const;

export interface TakeoverReport {
  readonly seed: number;
  readonly takeovers: number;
  readonly ordered: number;
  readonly superseded: number;
}

/** Runs a world until so many takeovers. Throws with the seed if a promise was broken. */
export async function runTakeoverWorld(
  seed: number,
  evaluate: Evaluate,
  takeovers: number,
): Promise<TakeoverReport> {
  const world = new World(seed, START_MS);
  const clocksAreTrue = true;
  const history = new History(world, { keepsOrder: true, clocksAreTrue });
  const watch = new ObjectWatch(world, history, { spaces: SPACES, shards: 1, clocksAreTrue });
  const platform = new Platform(world, evaluate, false, watch);
  platform.network.isBad = false;
  platform.network.isNear = true;
  platform.wake();
  const answers = new Answers(world, clocksAreTrue);
  const shards = SPACES.map((space) => new TakenOver(world, { space, platform, history, answers }));
  for (let done = 0; done < takeovers; done += shards.length) {
    // One time in two the older instance is asked for strict IDs only: its successor may begin with another lane.
    const oneIn = world.random.isOneOf(2) ? 1 : STRICT_ONE_IN[1];
    for (const shard of shards) shard.begin(oneIn);
    await world.run(ASKED_MS);
    for (const shard of shards) shard.takeOver();
    for (let burst = 0; burst < BURSTS; burst += 1) {
      for (const shard of shards) shard.begin(world.random.spread(...STRICT_ONE_IN));
      await world.run(ASKED_MS);
      for (const shard of shards) shard.pause();
      await world.run(world.random.spread(...PAUSE_MS));
    }
    for (const shard of shards) shard.end();
    await world.run(IDLE_MS);
  }
  const { superseded } = watch.ends;
  return { seed, takeovers, ordered: history.ordered, superseded };
}

interface Surroundings {
  readonly space: Space;
  readonly platform: Platform;
  readonly history: History;
  readonly answers: Answers;
}

/** One shard with its callers. */
class TakenOver {
  readonly #world: World;
  readonly #around: Surroundings;
  #isAsked = false;
  #chains = 0;
  #strictOneIn = 1;

  constructor(world: World, around: Surroundings) {
    this.#world = world;
    this.#around = around;
  }

  /** Repeats requests; one in so many is strict. */
  begin(strictOneIn: number): void {
    this.#isAsked = true;
    this.#strictOneIn = strictOneIn;
    for (; this.#chains < CHAINS; this.#chains += 1) this.#ask();
  }

  takeOver(): void {
    this.#object.supersede(true, OVERLAP_MS);
  }

  pause(): void {
    this.#isAsked = false;
  }

  end(): void {
    this.#object.evict();
  }

  get #object() {
    const { platform, space } = this.#around;
    const object = platform.object("Shard", `${space.name}/${SHARD}`);
    object.plan.disk.isQuick = true;
    return object;
  }

  #ask(): void {
    if (!this.#isAsked) {
      this.#chains -= 1;
      return;
    }
    const { platform, space, history } = this.#around;
    const { random } = this.#world;
    const [isolate] = random.isOneOf(4) ? [random.pick(platform.isolates)] : platform.isolates;
    const isStrict = random.isOneOf(this.#strictOneIn);
    const above = history.highest(space.name);
    this.#blocks(isolate, random.between(1, COUNT_MAX), isStrict, (blocks) => {
      if (isStrict) history.inOrder(space.name, above, runsOfBlocks(blocks));
    });
  }

  #blocks(
    isolate: Isolate | undefined,
    count: number,
    isStrict: boolean,
    then: (blocks: BlocksAnswer) => void,
  ): void {
    const { space, history, answers } = this.#around;
    const placement = { shard: SHARD, ...(isStrict && { order: "strict" }) };
    isolate?.rpc("blocks", [space.name, count, placement], (outcome: Outcome) => {
      answers.left(space, true, outcome);
      if (outcome.ok) {
        const blocks = outcome.value as BlocksAnswer;
        history.got(space, runsOfBlocks(blocks), "asked");
        then(blocks);
      }
      this.#world.after(this.#world.random.between(...THINK_MS), () => this.#ask());
    });
  }
}
