/**
 * A Worker that keeps a minter in module scope, as built. Each request carries out one command, with the clocks moved on
 * by `passMs` for good. A request
 * of the minter's leaves so late that the command which began it in the background has ended.
 */
import { env, waitUntil } from "cloudflare:workers";
import { Minter } from "../../dist/client/minter.js";

const LEAVES_AFTER_MS = 20;

let minter;
let aheadMs = 0;
/** Requests of this minter's: those that began, and those that were answered. */
let [begun, answered] = [0, 0];
/** Pieces of work that waitUntil keeps alive. */
let works = 0;

for (const clock of [Date, performance]) {
  const now = clock.now.bind(clock);
  clock.now = () => now() + aheadMs;
}
globalThis.fetch = async (...args) => {
  begun += 1;
  await scheduler.wait(LEAVES_AFTER_MS);
  const response = await env.IDS.fetch(...args);
  answered += 1;
  return response;
};

function keepAlive(work) {
  works += 1;
  waitUntil(work.then(() => (works -= 1)));
}

const commands = {
  async open({ isKept, ...options }) {
    [begun, answered] = [0, 0];
    minter = await Minter.open({ ...options, ...(isKept && { waitUntil: keepAlive }) });
  },
  next: () => [minter.next(), ...minter.take(3)],
  async ready() {
    await minter.ready();
    return commands.next();
  },
  close: () => minter.close(),
  state: () => ({ worker: minter.worker, works, begun, answered }),
};

export default {
  async fetch(request) {
    const { command, passMs = 0, options } = await request.json();
    aheadMs += passMs;
    try {
      return Response.json({ value: await commands[command](options) });
    } catch (error) {
      return Response.json({ code: error.code ?? `${error}` });
    }
  },
};
