/** A caller that requests IDs in every possible way, over HTTP and a service binding. */
import type { BlocksAnswer } from "../../../src/core/blocks/blocks-answer.ts";
import type { Answers } from "./answers.ts";
import type { History, Run, Space } from "./history.ts";
import type { Outcome } from "./instance.ts";
import type { HttpAnswer, Isolate } from "./isolate.ts";
import type { Network } from "./network.ts";
import { runsOf, runsOfBlocks } from "./runs.ts";
import type { World } from "./world.ts";

/** The pause of a caller between two actions, in ms; the requests of one action come within a few ms. */
const PAUSE_MS = [10, 1500] as const;
const BURST_MAX = 60;
const BURST_GAP_MS = 3;
const KEYS = 3;
const COUNT_MAX = 3000;
const BURST_COUNT_MAX = 20;

const URL_BASE = "http://edgeflake.test/v1";

/** Counts of all callers. */
export interface Asked {
  requests: number;
  open: number;
  readonly refusals: Map<string, number>;
}

/** A request's parameters besides its namespace, and its promised order. */
interface Input {
  readonly query: Record<string, string | number>;
  readonly order?: string;
}

export class Caller {
  readonly #world: World;
  readonly #network: Network;
  readonly #history: History;
  readonly #isolates: readonly Isolate[];
  readonly #spaces: readonly Space[];
  readonly #asked: Asked;
  readonly #answers: Answers;
  /** From now on it sends no requests. */
  isDone = false;

  constructor(
    world: World,
    network: Network,
    history: History,
    {
      isolates,
      spaces,
      asked,
      answers,
    }: {
      readonly isolates: readonly Isolate[];
      readonly spaces: readonly Space[];
      readonly asked: Asked;
      readonly answers: Answers;
    },
  ) {
    this.#world = world;
    this.#network = network;
    this.#history = history;
    this.#isolates = isolates;
    this.#spaces = spaces;
    this.#asked = asked;
    this.#answers = answers;
  }

  /** Repeats its actions. */
  start(): void {
    this.#world.after(this.#world.random.spread(...PAUSE_MS), () => {
      if (this.isDone) return;
      this.#act();
      this.start();
    });
  }

  #act(): void {
    const { random } = this.#world;
    const space = random.pick(this.#spaces);
    const isolate = random.pick(this.#isolates);
    const same = this.#input(space, BURST_COUNT_MAX);
    if (random.isOneOf(4)) {
      this.#inTurn(space, same, random.spread(2, BURST_MAX));
      return;
    }
    const isBurst = random.isOneOf(4);
    const requests = isBurst ? random.spread(2, BURST_MAX) : 1;
    for (let request = 0; request < requests; request += 1) {
      const input = isBurst ? same : this.#input(space, COUNT_MAX);
      const ask = random.isOneOf(6) ? this.#http : this.#rpc;
      this.#world.after(request * random.between(0, BURST_GAP_MS), () => {
        if (this.isDone) return;
        ask(isolate, space, input);
      });
    }
  }

  /** So many requests, each after the last response: these IDs must be in order if that is promised. */
  #inTurn(space: Space, input: Input, requests: number): void {
    const { random } = this.#world;
    const isolate = random.pick(this.#isolates);
    if (this.isDone || requests < 1) return;
    const ask = random.isOneOf(6) ? this.#http : this.#rpc;
    ask(isolate, space, input, () => this.#inTurn(space, input, requests - 1));
  }

  #input({ name, layout }: Space, countMax: number): Input {
    const { random } = this.#world;
    const count = random.spread(1, countMax);
    const kind = random.between(0, 7);
    if (kind === 0 || kind > 5) return { query: {} };
    if (kind === 1) return { query: { count } };
    if (kind === 2 && layout) {
      const shard = random.between(0, 1);
      return { query: { shard, count, order: "strict" }, order: `${name} shard ${shard}` };
    }
    if (kind === 3 && layout) return { query: { shard: random.between(0, 1), count } };
    if (kind === 4 && layout) {
      const key = `key-${random.between(1, KEYS)}`;
      return { query: { key, count: Math.ceil(count / 10) }, order: `${name} ${key}` };
    }
    return layout
      ? { query: { order: "strict", count } }
      : { query: { order: "strict", count }, order: name };
  }

  readonly #http = (isolate: Isolate, space: Space, input: Input, answered?: () => void): void => {
    const { random } = this.#world;
    const asBlocks = random.isOneOf(5);
    const asText = !asBlocks && random.isOneOf(5);
    const given = Object.entries(input.query).map(([name, value]) => [name, `${value}`]);
    if (asText) given.push(["format", "text"]);
    const text = new URLSearchParams(given).toString();
    const path = `${asBlocks ? "blocks" : "ids"}/${space.name}`;
    const url = `${URL_BASE}/${path}${text && "?"}${text}`;
    const method = random.isOneOf(2) ? "GET" : "POST";
    this.#send(
      space,
      input,
      (answer) => isolate.fetch(url, { method }, answer),
      (value) => {
        const got = value as HttpAnswer;
        if (got.status !== 200) throw Object.assign(new Error(got.text), JSON.parse(got.text));
        if (asBlocks) return runsOfBlocks(JSON.parse(got.text) as BlocksAnswer);
        return runsOf(asText ? got.text.trimEnd().split("\n") : JSON.parse(got.text).ids);
      },
      answered,
    );
  };

  readonly #rpc = (isolate: Isolate, space: Space, input: Input, answered?: () => void): void => {
    const { count = 1, ...options } = input.query;
    const asBlocks = this.#world.random.isOneOf(5);
    const method = asBlocks ? "blocks" : "nextIds";
    const args = [space.name, count, options];
    this.#send(
      space,
      input,
      (answer) => isolate.rpc(method, args, answer),
      (value) => (asBlocks ? runsOfBlocks(value as BlocksAnswer) : runsOf(value as string[])),
      answered,
    );
  };

  #send(
    space: Space,
    { query, order }: Input,
    deliver: (answer: (outcome: Outcome) => void) => void,
    read: (value: unknown) => Run[],
    answered: () => void = () => undefined,
  ): void {
    this.#asked.requests += 1;
    this.#asked.open += 1;
    const above = order ? this.#history.highest(order) : -1n;
    const isPinned = "shard" in query || "key" in query || "order" in query;
    const left = (outcome: Outcome): Outcome => {
      this.#answers.left(space, isPinned, outcome);
      // An ID that leaves the Worker counts as issued, even if it does not arrive.
      if (!outcome.ok) return outcome;
      try {
        const runs = read(outcome.value);
        this.#history.got(space, runs, outcome.served?.isFromMemory ? "memory" : "asked");
        return { ok: true, value: runs };
      } catch (error) {
        return { ok: false, error: error instanceof Error ? error : new Error(`${error}`) };
      }
    };
    this.#network.carry(
      (answer) => deliver((outcome) => answer(left(outcome))),
      (outcome) => {
        this.#asked.open -= 1;
        if (!outcome.ok) this.#refused(outcome.error);
        else if (order) this.#history.inOrder(order, above, outcome.value as Run[]);
        answered();
      },
    );
  }

  #refused(error: Error): void {
    const code = "code" in error ? `${error.code}` : error.message;
    this.#asked.refusals.set(code, (this.#asked.refusals.get(code) ?? 0) + 1);
  }
}
