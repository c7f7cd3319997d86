/**
 * Every acknowledged ID of all lives in one set, as runs: a batch is one entry, a block too.
 * IDs of two spaces (namespaces, or leased worker IDs) are independent.
 */

/** The IDs first, first + step, … (count of them; step is their space's). */
export interface Run {
  readonly first: bigint;
  readonly count: number;
}

interface Entry extends Run {
  readonly last: bigint;
  /** The request and the life that got it. */
  readonly source: string;
}

interface Space {
  readonly step: bigint;
  readonly entries: Entry[];
}

/** The number of repetitions reported in full; the rest is counted. */
const TOLD_MAX = 5;

export class History {
  readonly #spaces = new Map<string, Space>();
  /** Adds the IDs of one response. `step`: the distance of the space's numbers. */
  add(space: string, step: number, runs: readonly Run[], source: string): void {
    const known = this.#spaces.get(space) ?? { step: BigInt(step), entries: [] };
    this.#spaces.set(space, known);
    for (const { first, count } of runs) {
      if (count < 1) throw new Error(`${source} brought a run of ${count} IDs`);
      const last = first + BigInt(count - 1) * known.step;
      known.entries.push({ first, count, last, source });
    }
  }

  /** Repeated IDs, and numbers outside of their namespace: a line each. Empty if all is well. */
  faults(): string[] {
    const faults = [...this.#spaces].flatMap(([name, space]) => faultsOf(name, space));
    const more = faults.length - TOLD_MAX;
    return more > 0 ? [...faults.slice(0, TOLD_MAX), `and ${more} more`] : faults;
  }
}

function faultsOf(name: string, { step, entries }: Space): string[] {
  const sorted = entries.toSorted((one, other) => Number(one.first - other.first));
  const faults: string[] = [];
  let highest: Entry | undefined;
  for (const entry of sorted) {
    const { first, source } = entry;
    // Numbers one step apart: runs that meet in [first, last] have a number in common.
    if ((first - (highest?.first ?? first)) % step !== 0n) {
      faults.push(`${name}: ${first} (${source}) is not a step of ${step} from the others`);
    }
    if (highest && first <= highest.last) {
      faults.push(`${name}: ${first} came twice, by ${highest.source} and by ${source}`);
    }
    if (!highest || entry.last > highest.last) highest = entry;
  }
  return faults;
}

/** These IDs as runs, in their order. */
export function runsOf(ids: readonly bigint[], step: number): Run[] {
  const runs: { first: bigint; count: number }[] = [];
  let next: bigint | undefined;
  for (const id of ids) {
    const run = runs.at(-1);
    if (run && id === next) run.count += 1;
    else runs.push({ first: id, count: 1 });
    next = id + BigInt(step);
  }
  return runs;
}
