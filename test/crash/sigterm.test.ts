/** SIGTERM under load. Needs `npm run build` before. */
import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { servedAt } from "./clock-steps.ts";
import { Lives } from "./lives.ts";

/** SIGTERM comes at most so many responses after the load has IDs of all namespaces. */
const MORE_ANSWERS_MAX = 300;

/** A client that requests a million IDs, and stops reading after the first. */
async function holdStream(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const client = connect(Number(port), hostname);
  onTestFinished(() => void client.destroy());
  client.on("error", () => undefined);
  client.write("GET /v1/ids/default?count=1000000&format=text HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(client, "readable");
}

/** Lives of one data folder, each but the last ended by SIGTERM under load; in `heldIn`, a client holds a stream open. */
async function expectDistinctThroughStops(rounds: number, heldIn?: number): Promise<void> {
  const lives = Lives.ofTest({ withShim: false });
  for (let round = 0; round < rounds; round += 1) {
    await lives.start();
    if (round === 0) await lives.makeNumbers();
    const load = lives.load();
    await load.serves(servedAt(0));
    // This needs the whole grace period, and kill -9 at its end.
    if (round === heldIn) await holdStream(lives.service.url);
    await load.acknowledges(lives.random.between(0, MORE_ANSWERS_MAX));
    await lives.stop();
  }
  await lives.start();
  const load = lives.load();
  await load.serves(servedAt(0));
  await load.stop();
  expect(lives.ledger.faults()).toEqual([]);
}

describe("SIGTERM under load ends it within its grace, and the next life repeats nothing", () => {
  it("once", () => expectDistinctThroughStops(1));

  it("four times, once with a client that stops reading", { tags: ["long"] }, () =>
    expectDistinctThroughStops(4, 1),
  );
});
