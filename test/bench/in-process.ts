/** What takes no HTTP: core, codec, client, other generators. */
import type { TargetValues } from "./targets.ts";

export interface InProcessRow {
  readonly name: string;
  readonly nsPerId: number;
  /** Whether an ID came twice in the run. */
  readonly repeated?: boolean;
}

export interface InProcess {
  readonly rows: readonly InProcessRow[];
  readonly targets: TargetValues;
}

/** Nothing is measured yet. */
export async function measureInProcess(): Promise<InProcess> {
  return { rows: [], targets: {} };
}
