/** The rows of the list of namespaces. */
import { type Layout, tickStartMs } from "../../core/layout/layout.ts";
import { DATE_MS_MAX, MAX_ID } from "../../core/limits.ts";
import { type Json, textOf } from "../api.ts";
import { figure } from "../figure.ts";
import { NONE } from "../parts/table.tsx";
import { type Described, describedIn } from "./definition.ts";

/** A namespace in short. */
export interface NamespaceRow {
  readonly name: string;
  readonly kind: string;
  /** The widths of its fields and its tick; of a segment, its step. */
  readonly form: string;
  readonly shards: string;
  readonly isBuiltIn: boolean;
  readonly isRetired: boolean;
  /** The day of its last ID, or its last number. */
  readonly until: string;
}

export function rowOf(answer: Json): NamespaceRow {
  const read = describedIn(answer);
  return {
    name: textOf(answer.name),
    kind: textOf(answer.kind, NONE),
    form: read ? formOf(read) : NONE,
    shards: read?.definition.kind === "snowflake" ? figure(read.definition.shards) : NONE,
    isBuiltIn: answer.builtIn === true,
    isRetired: answer.retired === true,
    until: read ? untilOf(read) : NONE,
  };
}

/** The rows whose name, kind or form has a text in it, in upper or lower case. */
export function matching(rows: readonly NamespaceRow[], text: string): readonly NamespaceRow[] {
  const wanted = text.trim().toLowerCase();
  return rows.filter(({ name, kind, form }) => {
    return [name, kind, form].some((one) => one.toLowerCase().includes(wanted));
  });
}

/** The namespace with exactly that name; otherwise the only match. */
export function meant(rows: readonly NamespaceRow[], text: string): string | undefined {
  const found = matching(rows, text);
  const wanted = text.trim();
  if (found.some(({ name }) => name === wanted)) return wanted;
  return found.length === 1 ? found[0]?.name : undefined;
}

/** The widths of a layout's fields from the top, and its tick. */
export function widthsOf({ fields, tickMs }: Layout): string {
  const tick = tickMs < 1000 ? `${tickMs} ms` : `${tickMs / 1000} s`;
  return `${fields.map(({ bits }) => bits).join("·")}, ${tick}`;
}

function formOf({ definition, layout }: Described): string {
  if (layout) return widthsOf(layout);
  return definition.kind === "segment" ? `numbers, step ${figure(definition.step)}` : NONE;
}

function untilOf({ definition, layout }: Described): string {
  if (definition.kind === "segment") {
    const max = BigInt(definition.max);
    return max === MAX_ID ? "number 2^63 − 1" : `number ${figure(max)}`;
  }
  return layout ? lastDay(layout) : NONE;
}

/** The day on which the timestamps of a layout end. */
function lastDay(layout: Layout): string {
  const endMs = tickStartMs(layout, layout.tickCount);
  return endMs > DATE_MS_MAX ? "after the year 275760" : new Date(endMs).toISOString().slice(0, 10);
}
