/**
 * A Durable Object's storage: a real SQLite database. Only flushed data survives a crash.
 * Responses wait for the flush, as with the platform's output gate.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { World } from "./world.ts";

/** The time of a flush in ms: on a local disk, or to remote replicas. */
const FLUSH_MS = [1, 30] as const;

const WRITES = /^\s*(INSERT|UPDATE|DELETE|CREATE)\b/i;
const SCHEMA = /^\s*CREATE\b/i;

type Gate = (isFlushed: boolean) => void;

export interface DiskSeen {
  writes: number;
  failedWrites: number;
  failedFlushes: number;
  lostFlushes: number;
}

export class Disk {
  readonly #database = new DatabaseSync(":memory:");
  readonly #statements = new Map<string, StatementSync>();
  readonly #world: World;
  readonly #seen: DiskSeen;
  /** Callbacks that wait for the flush of unflushed writes; undefined without such writes. */
  #gates: Gate[] | undefined;
  /** One in so many writes fails, and one in so many flushes; 0: none. */
  failsOneIn = 0;
  /** Every flush is quick. */
  isQuick = false;
  /** Nothing is ever flushed here. */
  #isForsaken = false;

  constructor(world: World, seen: DiskSeen) {
    this.#world = world;
    this.#seen = seen;
  }

  /** Runs a statement; the rows that it gives, and how many it changed. */
  run(sql: string, bindings: readonly SQLInputValue[]): { rows: unknown[]; changed: number } {
    if (!WRITES.test(sql)) return { rows: this.#statement(sql).all(...bindings), changed: 0 };
    this.#seen.writes += 1;
    if (this.failsOneIn > 0 && this.#world.random.isOneOf(this.failsOneIn)) {
      this.#seen.failedWrites += 1;
      throw new Error("database or disk is full: SQLITE_FULL");
    }
    this.#begin();
    if (SCHEMA.test(sql)) {
      this.#database.exec(sql);
      return { rows: [], changed: 1 };
    }
    const statement = this.#statement(sql);
    if (/\bRETURNING\b/i.test(sql)) return { rows: statement.all(...bindings), changed: 1 };
    return { rows: [], changed: Number(statement.run(...bindings).changes) };
  }

  /** Runs a transaction: if it throws, none of its writes remain. */
  atOnce<Value>(write: () => Value): Value {
    this.#begin();
    this.#database.exec("SAVEPOINT at_once");
    try {
      const value = write();
      this.#database.exec("RELEASE at_once");
      return value;
    } catch (error) {
      this.#database.exec("ROLLBACK TO at_once; RELEASE at_once");
      throw error;
    }
  }

  /** Calls `gate` when all present writes are flushed, or lost. */
  afterFlush(gate: Gate): void {
    if (this.#gates) this.#gates.push(gate);
    else gate(true);
  }

  /** Loses unflushed writes: the machine has crashed, or the object was ended. */
  crash(): void {
    const gates = this.#gates;
    if (!gates) return;
    this.#gates = undefined;
    this.#seen.lostFlushes += 1;
    this.#database.exec("ROLLBACK");
    for (const gate of gates) gate(false);
  }

  /** The view of an instance that is cut off without notice: all data flushed so far, and no later data. */
  replica(): Disk {
    const replica = new Disk(this.#world, this.#seen);
    replica.#isForsaken = true;
    const tables = this.#peek("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL");
    for (const { name, sql } of tables as { name: string; sql: string }[]) {
      replica.#database.exec(sql);
      if (!sql.startsWith("CREATE TABLE")) continue;
      for (const row of this.#peek(`SELECT * FROM ${name}`) as Record<string, SQLInputValue>[]) {
        const values = Object.values(row);
        const places = values.map(() => "?").join(", ");
        replica.#database.prepare(`INSERT INTO ${name} VALUES (${places})`).run(...values);
      }
    }
    return replica;
  }

  /** Reads a table's present rows without the object; empty before the table exists. */
  rows(table: string, where = "true"): unknown[] {
    const tables = this.#peek(`SELECT 1 FROM sqlite_master WHERE name = '${table}'`);
    return tables.length > 0 ? this.#peek(`SELECT * FROM ${table} WHERE ${where}`) : [];
  }

  #peek(sql: string): unknown[] {
    return this.#statement(sql).all();
  }

  #begin(): void {
    if (this.#gates) return;
    this.#gates = [];
    const batch = this.#gates;
    this.#database.exec("BEGIN");
    const [leastMs, mostMs] = FLUSH_MS;
    const flushMs = this.isQuick ? leastMs : this.#world.random.between(leastMs, mostMs);
    this.#world.after(flushMs, () => {
      if (this.#gates === batch) this.#flush(batch);
    });
  }

  #flush(batch: readonly Gate[]): void {
    const fails = this.failsOneIn > 0 && this.#world.random.isOneOf(this.failsOneIn);
    if (fails || this.#isForsaken) {
      this.#seen.failedFlushes += 1;
      this.crash();
      return;
    }
    this.#gates = undefined;
    this.#database.exec("COMMIT");
    for (const gate of batch) gate(true);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
