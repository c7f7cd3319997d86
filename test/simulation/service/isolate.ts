/** An isolate of the Worker: its memory ends with it. */
import type { Evaluate, Product } from "./bundle.ts";
import type { Answer, Outcome } from "./instance.ts";
import type { Machine } from "./machine.ts";
import { Process } from "./process.ts";
import type { World } from "./world.ts";

/** An answer of the Worker's, read whole. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type Serve = (product: Product, context: [Env, ExecutionContext]) => unknown;

export class Isolate {
  readonly machine: Machine;
  readonly #world: World;
  readonly #evaluate: Evaluate;
  /** The platform as seen from this isolate. */
  readonly #env: object;
  #process: Process;
  readonly #open = new Set<Answer>();

  constructor(world: World, machine: Machine, evaluate: Evaluate, env: object) {
    this.#world = world;
    this.machine = machine;
    this.#evaluate = evaluate;
    this.#env = env;
    this.#process = new Process(world, machine, evaluate);
  }

  /** Ends it, with the requests that it serves; the next one starts with an empty memory. */
  restart(): void {
    this.#process.isAlive = false;
    this.machine.restarted();
    this.#process = new Process(this.#world, this.machine, this.#evaluate);
    for (const answer of this.#open) answer({ ok: false, error: new Error("the isolate ended") });
    this.#open.clear();
  }

  /** A request over HTTP arrives; its answer is an HttpAnswer. */
  fetch(url: string, init: RequestInit, answer: Answer): void {
    this.#serve(async ({ worker }, context) => {
      const response: Response = await worker.fetch(
        new Request<unknown, IncomingRequestCfProperties>(url, init as RequestInit<never>),
        ...context,
      );
      const { status, headers } = response;
      return { status, headers, text: await response.text() } satisfies HttpAnswer;
    }, answer);
  }

  /** A call over a service binding arrives. */
  rpc(method: "nextId" | "nextIds" | "blocks", args: readonly unknown[], answer: Answer): void {
    this.#serve(({ Entrypoint }, [env, context]) => {
      const entrypoint = new Entrypoint(context, env);
      const run: unknown = Reflect.get(entrypoint, method);
      if (typeof run !== "function") throw new TypeError(`there is no method ${method}`);
      return Reflect.apply(run, entrypoint, args);
    }, answer);
  }

  #serve(serve: Serve, answer: Answer): void {
    this.machine.stall.message(() => this.#serveNow(serve, answer));
  }

  #serveNow(serve: Serve, answer: Answer): void {
    const process = this.#process;
    this.#open.add(answer);
    const awakeMs = (): number => this.#world.nowMs - this.machine.stall.stoodMs;
    const began = { awakeMs: awakeMs(), events: this.#world.events };
    const once: Answer = (outcome: Outcome) => {
      // A process that has ended sends no more responses.
      if (!process.isAlive || !this.#open.delete(answer)) return;
      const isFromMemory = this.#world.events === began.events;
      answer({ ...outcome, served: { isFromMemory, awakeMs: awakeMs() - began.awakeMs } });
    };
    // Here, work after a response always continues until the isolate ends.
    const context = { waitUntil: () => undefined };
    // A world has only the part of the platform that the product uses.
    const surroundings = [this.#env, context] as unknown as [Env, ExecutionContext];
    Promise.resolve()
      .then(() => serve(process.product, surroundings))
      .then(
        (value) => once({ ok: true, value }),
        (error: Error) => once({ ok: false, error }),
      );
  }
}
