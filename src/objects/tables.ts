/**
 * The tables of one object. The first write creates them: an object that only answered status requests stores nothing.
 *
 * A storage class reads only if the tables `exist`, and calls `make` before it writes its first row.
 */
export class Tables {
  readonly #sql: SqlStorage;
  readonly #schema: string;
  readonly #last: string;
  #found = false;

  /** `schema`: idempotent SQL. `last`: the last table or index that it creates; if it exists, all others exist too. */
  constructor(sql: SqlStorage, schema: string, last: string) {
    this.#sql = sql;
    this.#schema = schema;
    this.#last = last;
  }

  /** Whether the tables exist. Only a "yes" is cached: another instance may create them at any time. */
  exist(): boolean {
    this.#found ||= hasTable(this.#sql, this.#last);
    return this.#found;
  }

  /** Creates the tables. Must not run in a transaction: a rollback would drop them. */
  make(): void {
    if (!this.exist()) this.#sql.exec(this.#schema);
  }
}

/** Whether a table or index with that name exists. */
export function hasTable(sql: SqlStorage, name: string): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE name = ?", name).toArray().length > 0;
}
