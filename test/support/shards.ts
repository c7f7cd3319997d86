import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Shard } from "../../src/objects/shard.ts";
import { ShardStorage } from "../../src/objects/shard-storage.ts";
import { hasTable } from "../../src/objects/tables.ts";
import {
  BUILT_IN_NAMESPACES,
  type SnowflakeNamespace,
} from "../../src/service/registry/namespaces.ts";

export function namespaceOf(name: string): SnowflakeNamespace {
  const namespace = BUILT_IN_NAMESPACES.find((builtIn) => builtIn.name === name);
  if (namespace?.kind !== "snowflake") throw new Error(`there is no namespace ${name}`);
  return namespace;
}

export function stubOf(namespace: string, shard: number): DurableObjectStub<Shard> {
  return env.SHARD.getByName(`${namespace}/${shard}`);
}

/** The object's storage, for looking in and for breaking things. */
export function inStorage<Value>(
  stub: DurableObjectStub<Shard>,
  look: (sql: SqlStorage, state: DurableObjectState) => Value,
): Promise<Value> {
  return runInDurableObject(stub, (_, state) => look(state.storage.sql, state));
}

/** The tables of a shard that may not have been used. */
export async function makeTables(stub: DurableObjectStub<Shard>): Promise<void> {
  await inStorage(stub, (sql) => {
    if (hasTable(sql, "lane")) return;
    new ShardStorage(sql).claim("none");
    sql.exec("DELETE FROM layout");
  });
}

/** None of a shard that was never used. */
export function marksOf(stub: DurableObjectStub<Shard>): Promise<number[]> {
  return inStorage(stub, (sql) => {
    if (!hasTable(sql, "lane")) return [];
    const rows = sql.exec("SELECT mark FROM lane ORDER BY lane").toArray();
    return rows.map(({ mark }) => Number(mark));
  });
}
