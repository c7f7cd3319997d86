/** The health of the namespaces, and what needs attention, for the Overview. */
import type { ComponentChildren } from "preact";
import { type Json, objectsOf, textOf } from "../api.ts";
import { figure } from "../figure.ts";
import { askAllPages, NAMESPACES_PATH } from "../namespaces.ts";
import { PollFailure } from "../parts/poll-failure.tsx";
import { NONE as EMPTY, Table } from "../parts/table.tsx";
import { type Polled, usePolled } from "../polled.ts";
import { addressOf } from "../route.ts";
import { duration } from "../shards/shard-state.ts";
import { type Looks, type Seen, useLooks } from "./health-watch.ts";
import { type Attention, byLevel, endOf } from "./namespace-health.ts";

/** The built-in namespace that is usually in use. */
const USUAL = "default";
const NAMESPACES_EVERY_MS = 30_000;
/** Most rows, and most items that need attention: more would hide the others. */
const SHOWN_MAX = 10;

/** The namespaces of this service, and what needs attention in them. */
export function NamespacesHealth() {
  const listed = usePolled(NAMESPACES_PATH, NAMESPACES_EVERY_MS, { send: askAllPages });
  const all = objectsOf(listed.answer?.namespaces).filter(isOfInterest);
  const looks = useLooks(all);
  return (
    <>
      <h2>Needs attention</h2>
      <AttentionList items={attentionOf(all, looks)} />
      <p role="status">{progressOf(listed, all, looks)}</p>
      <PollFailure polled={listed} scope="read" />
      <h2>Namespaces</h2>
      {all.length > 0 && (
        <Table
          label="Namespaces"
          headings={["name", "kind", "IDs/s", "lead", "health"]}
          rows={all.slice(0, SHOWN_MAX).map((definition) => {
            const name = textOf(definition.name);
            return { id: name, cells: cellsOf(definition, looks.get(name) ?? {}) };
          })}
        />
      )}
      <p>
        <a href={addressOf("namespaces")}>All namespaces</a> ·{" "}
        <a href={addressOf("design")}>Create a namespace</a>
      </p>
    </>
  );
}

/** Built-in namespaces but the usual one, and retired ones, would hide those in use. */
function isOfInterest({ name, builtIn, retired }: Json): boolean {
  return retired !== true && (builtIn !== true || name === USUAL);
}

/** The items that need attention, the worst first. A namespace whose shards can't be read is one of them. */
function attentionOf(all: readonly Json[], looks: Looks): Attention[] {
  const items = all.flatMap((definition) => {
    const name = textOf(definition.name);
    const { look, error } = looks.get(name) ?? {};
    const unknown: Attention = {
      level: "bad",
      subject: name,
      problem: "unknown",
      advice: error instanceof Error ? error.message : "Its shards can’t be read.",
      address: addressOf("shards", [name]),
    };
    const ends = endOf(definition, Date.now());
    return [...ends, ...(error === undefined ? (look?.health.attention ?? []) : [unknown])];
  });
  return items.toSorted(byLevel);
}

/** How much is known. */
function progressOf({ answer, error }: Polled, all: readonly Json[], looks: Looks): string {
  if (error !== undefined) return "Unknown.";
  if (!answer) return "Loading …";
  const checked = all.filter(({ name }) => looks.has(textOf(name))).length;
  if (checked < all.length) return `Checked ${checked} of ${all.length} namespaces so far …`;
  const healthy = attentionOf(all, looks).length === 0 ? "Nothing. " : "";
  return `${healthy}All namespaces are checked: ${all.length}.`;
}

function AttentionList({ items }: { items: readonly Attention[] }) {
  if (items.length === 0) return null;
  const shown = items.slice(0, SHOWN_MAX);
  return (
    <>
      <ul class="attention">
        {shown.map(({ level, subject, problem, advice, address }) => (
          <li key={`${subject} ${problem}`}>
            <a href={address}>{subject}</a>: <b class={level}>{problem}</b>. {advice}
          </li>
        ))}
      </ul>
      {items.length > shown.length && <p>… and {items.length - shown.length} more.</p>}
    </>
  );
}

/** The cells of a namespace's row. */
function cellsOf(definition: Json, { look, error }: Seen): ComponentChildren[] {
  const name = textOf(definition.name);
  const health = error === undefined ? look?.health : undefined;
  const isIdle = health === undefined || health.level === "idle";
  return [
    <a href={addressOf("namespaces", [name])}>{name}</a>,
    textOf(definition.kind),
    isIdle || look?.rate === undefined ? EMPTY : figure(look.rate),
    isIdle || health.leadMs === undefined ? EMPTY : duration(health.leadMs),
    health ? (
      <a href={addressOf("shards", [name])} class={health.level}>
        {health.summary}
      </a>
    ) : (
      <span class={error === undefined ? "" : "bad"}>{error === undefined ? "…" : "unknown"}</span>
    ),
  ];
}
