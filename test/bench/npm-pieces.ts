/** The generators of npm, as their READMEs use them; each loads its library where it is made. */
import { type Generate, GeneratorPiece, IDS_PER_RUN } from "./generator-piece.ts";
import type { PieceEntry } from "./piece.ts";

const EPOCH_MS = 1_735_689_600_000;

type MakeGenerate<Id extends bigint | string> = () => Promise<() => Id>;

function entry(
  name: string,
  kind: keyof typeof IDS_PER_RUN,
  make: () => Promise<Generate>,
): PieceEntry {
  return {
    id: name,
    name,
    make: async (idsChecked) => new GeneratorPiece(await make(), IDS_PER_RUN[kind], idsChecked),
  };
}

/** Of a library that gives bigints: their decimal text too. */
function bothForms(name: string, make: MakeGenerate<bigint>): PieceEntry[] {
  const asText: MakeGenerate<string> = async () => {
    const generate = await make();
    return () => generate().toString();
  };
  return [entry(`${name}, bigint`, "counted", make), entry(`${name}, string`, "counted", asText)];
}

async function sapphire(): Promise<() => bigint> {
  const { Snowflake } = await import("@sapphire/snowflake");
  const generator = new Snowflake(EPOCH_MS);
  return () => generator.generate();
}

async function snowyflake(): Promise<() => bigint> {
  const { Snowyflake } = await import("snowyflake");
  const generator = new Snowyflake({ epoch: BigInt(EPOCH_MS), workerId: 1n, processId: 1n });
  return () => generator.nextId();
}

async function nodejsSnowflake(): Promise<() => bigint> {
  const { Snowflake } = await import("nodejs-snowflake");
  const generator = new Snowflake({ custom_epoch: EPOCH_MS, instance_id: 1 });
  // Its types say BigInt, the wrapper.
  return () => generator.getUniqueID().valueOf();
}

async function flakeIdgen(): Promise<() => bigint> {
  const { default: FlakeId } = await import("flake-idgen");
  const generator = new FlakeId({ id: 1, epoch: EPOCH_MS });
  return () => generator.next().readBigUInt64BE();
}

export const NPM_PIECES: readonly PieceEntry[] = [
  ...bothForms("@sapphire/snowflake", sapphire),
  ...bothForms("snowyflake", snowyflake),
  ...bothForms("nodejs-snowflake", nodejsSnowflake),
  ...bothForms("flake-idgen", flakeIdgen),
  entry("nanoid, string", "random", async () => {
    const { nanoid } = await import("nanoid");
    return () => nanoid();
  }),
  entry("uuid v7, string", "random", async () => {
    const { v7 } = await import("uuid");
    return () => v7();
  }),
];

/** The pieces that give Snowflakes as decimal texts. */
export const SNOWFLAKE_TEXTS: readonly string[] = [
  "@sapphire/snowflake",
  "snowyflake",
  "nodejs-snowflake",
  "flake-idgen",
].map((name) => `${name}, string`);
