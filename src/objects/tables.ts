/**
 * The tables of one object. Its first write makes them: an object that was only asked about keeps nothing.
 *
 * A storage reads only where they `exist`, and calls `make` before it writes its first row.
 */
export class Tables {
  readonly #sql: SqlStorage;
  readonly #schema: string;
  readonly #last: string;
  #found = false;

  /** `schema`: idempotent. `last`: what it makes last, so that where this is, all of it is. */
  constructor(sql: SqlStorage, schema: string, last: string) {
    this.#sql = sql;
    this.#schema = schema;
    this.#last = last;
  }

  /** Looked up until they are found. A "no" is not remembered: another instance may make them at any time. */
  exist(): boolean {
    this.#found ||= hasTable(this.#sql, this.#last);
    return this.#found;
  }

  /** Not inside of a transaction: rolled back, it would take them with it. */
  make(): void {
    if (!this.exist()) this.#sql.exec(this.#schema);
  }
}

/** Whether there is a table or index of that name. */
export function hasTable(sql: SqlStorage, name: string): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE name = ?", name).toArray().length > 0;
}
