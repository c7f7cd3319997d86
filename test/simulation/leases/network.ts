/** The network between minters and desk (slow, lossy, unordered), and the clocks at its other end. */
import type { Desk, DeskAnswer, DeskRequest } from "./desk.ts";
import type { World } from "./world.ts";

export class Network {
  readonly #world: World;
  readonly #desk: Desk;
  readonly #ownerOf: () => { readonly owner: number; readonly isCutOff: boolean };
  /** The desk's clock, and that of the Worker that calls it, minus the world's. */
  deskAheadMs = 0;
  callerAheadMs = 0;
  isDown = false;
  /** Faults may happen. */
  isBad = true;
  readonly seen = { lostRequests: 0, lostAnswers: 0, lateRequests: 0, whileDown: 0 };
  /** Codes that were answered, and how often. */
  readonly codes = new Map<string, number>();

  constructor(
    world: World,
    desk: Desk,
    ownerOf: () => { readonly owner: number; readonly isCutOff: boolean },
  ) {
    this.#world = world;
    this.#desk = desk;
    this.#ownerOf = ownerOf;
  }

  /** Replaces the global fetch. */
  fetch = (url: string, init: RequestInit): Promise<unknown> => {
    const { random } = this.#world;
    this.#world.touch();
    const { owner, isCutOff } = this.#ownerOf();
    const request = requestOf(url, init, owner);
    const reply = this.#world.replier();
    return new Promise((resolve, reject) => {
      init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      const ends = (ms: number, end: () => void): void => {
        reply(ms, () => {
          this.#world.touch();
          end();
        });
      };
      const breaks = (): void => ends(5, () => reject(new TypeError("fetch failed")));
      const answers = (answer: DeskAnswer): void => {
        ends(random.spread(1, 300), () => resolve(responseOf(answer)));
      };
      if (this.isDown || isCutOff) {
        this.seen.whileDown += 1;
        // Refused, unanswered, or answered by something before it.
        const kind = random.between(0, 2);
        if (kind === 0) breaks();
        if (kind === 1) answers({ status: 503, body: "down" });
        return;
      }
      const isLost = this.isBad && random.isOneOf(30);
      const isLate = this.isBad && random.isOneOf(30);
      const loses = this.isBad && random.isOneOf(15);
      if (isLost) {
        this.seen.lostRequests += 1;
        if (random.isOneOf(2)) breaks();
        return;
      }
      if (isLate) this.seen.lateRequests += 1;
      this.#world.after(isLate ? random.spread(1000, 60_000) : random.spread(1, 300), () => {
        const answer = this.#answer(request);
        if (!loses) answers(answer);
        else if (random.isOneOf(2)) breaks();
        if (loses) this.seen.lostAnswers += 1;
      });
    });
  };

  #answer(request: DeskRequest): DeskAnswer {
    const nowMs = Math.floor(this.#world.nowMs + this.deskAheadMs);
    const callerNowMs = Math.floor(this.#world.nowMs + this.callerAheadMs);
    const answer = this.#desk.answer(request, { nowMs, callerNowMs });
    const { body } = answer;
    const isRefusal = typeof body === "object" && body !== null && "code" in body;
    const code = isRefusal ? `${body.code}` : request.method;
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
    return answer;
  }
}

function requestOf(url: string, init: RequestInit, owner: number): DeskRequest {
  const { pathname, searchParams } = new URL(url);
  const headers = new Headers(init.headers);
  const worker = /^\/v1\/leases\/orders\/(\d+)$/.exec(pathname)?.[1];
  const until = searchParams.get("until");
  return {
    method: `${init.method}`,
    worker: worker === undefined ? undefined : Number(worker),
    until: until === null ? undefined : Number(until),
    key: headers.get("idempotency-key") ?? undefined,
    token: headers.get("edgeflake-lease-token") ?? undefined,
    body: typeof init.body === "string" ? JSON.parse(init.body) : {},
    owner,
  };
}

function responseOf({ status, body }: DeskAnswer): unknown {
  const text = body === null ? "" : JSON.stringify(body);
  return { ok: status < 300, status, headers: new Headers(), text: async () => text };
}
