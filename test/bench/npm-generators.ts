/** The ID generators of npm, as their READMEs use them. */
import { Snowflake as SapphireSnowflake } from "@sapphire/snowflake";
import FlakeId from "flake-idgen";
import { nanoid } from "nanoid";
import { Snowflake as NodejsSnowflake } from "nodejs-snowflake";
import { Snowyflake } from "snowyflake";
import { v7 } from "uuid";
import type { Pieces, Repeats } from "./own-pieces.ts";

/** IDs made without a pause: some ms of them, so that a generator that is out of IDs shows what it does. */
const COUNTED_IDS = 65_536;
const RANDOM_IDS = 4096;
const EPOCH_MS = 1_735_689_600_000;

function generator(generate: () => bigint | string, ids: number) {
  const made = Array.from({ length: ids }, (): bigint | string => "");
  const run = (): number => {
    let thrown = 0;
    for (let index = 0; index < ids; ) {
      try {
        made[index] = generate();
        index += 1;
      } catch {
        thrown += 1;
      }
    }
    return thrown;
  };
  const check = (count: number): Repeats => {
    const seen = new Set<bigint | string>();
    let [checked, thrown] = [0, 0];
    for (; checked < count; checked += ids) {
      thrown += run();
      for (const id of made) seen.add(id);
    }
    return { checked, repeated: checked - seen.size, thrown };
  };
  return { ids, run, check };
}

const sapphire = new SapphireSnowflake(EPOCH_MS);
const snowyflake = new Snowyflake({ epoch: BigInt(EPOCH_MS), workerId: 1n, processId: 1n });
const nodejs = new NodejsSnowflake({ custom_epoch: EPOCH_MS, instance_id: 1 });
const flake = new FlakeId({ id: 1, epoch: EPOCH_MS });

const SNOWFLAKES: Readonly<Record<string, () => bigint>> = {
  "@sapphire/snowflake": () => sapphire.generate(),
  snowyflake: () => snowyflake.nextId(),
  // Its types say BigInt, the wrapper.
  "nodejs-snowflake": () => nodejs.getUniqueID().valueOf(),
  "flake-idgen": () => flake.next().readBigUInt64BE(),
};
export const SNOWFLAKE_TEXTS = Object.keys(SNOWFLAKES).map((name) => `${name}, string`);

export const NPM_GENERATORS: Pieces = {
  ...Object.fromEntries(
    Object.entries(SNOWFLAKES).flatMap(([name, generate]) => [
      [`${name}, bigint`, () => generator(generate, COUNTED_IDS)],
      [`${name}, string`, () => generator(() => generate().toString(), COUNTED_IDS)],
    ]),
  ),
  "nanoid, string": () => generator(() => nanoid(), RANDOM_IDS),
  "uuid v7, string": () => generator(() => v7(), RANDOM_IDS),
};
