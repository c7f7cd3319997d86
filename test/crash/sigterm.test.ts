/** SIGTERM under load. Needs `npm run build` before. */
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { servedAt } from "./clock-steps.ts";
import { Lives } from "./lives.ts";

const ROUNDS = 4;
/** SIGTERM comes that long after the load has had IDs of all namespaces, at most, in ms. */
const PAUSE_MAX_MS = 300;

/** A client that asks for a million IDs, reads the first of them and no more. */
async function holdStream(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const client = connect(Number(port), hostname);
  client.on("error", () => undefined);
  client.write("GET /v1/ids/default?count=1000000&format=text HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(client, "readable");
}

it("SIGTERM under load ends it within its grace, and the next life repeats nothing", async () => {
  const lives = Lives.ofTest({ withShim: false });
  for (let round = 0; round < ROUNDS; round += 1) {
    await lives.start();
    if (round === 0) await lives.makeNumbers();
    await lives.load().serves(servedAt(0));
    // Once it takes the whole grace, and kill -9 at its end.
    if (round === 1) await holdStream(lives.service.url);
    await pause(lives.random.between(0, PAUSE_MAX_MS));
    await lives.stop();
  }
  await lives.start();
  const load = lives.load();
  await load.serves(servedAt(0));
  await load.stop();
  expect(lives.ledger.faults()).toEqual([]);
});
