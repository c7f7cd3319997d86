/** The list of all namespaces, with a search. */
import { useState } from "preact/hooks";
import { NAMESPACE_NAME } from "../../core/namespace/namespace.ts";
import { objectsOf, textOf } from "../api.ts";
import { figure } from "../figure.ts";
import { askAllPages, NAMESPACES_PATH } from "../namespaces.ts";
import { TextField } from "../parts/field.tsx";
import { PollFailure } from "../parts/poll-failure.tsx";
import { Table } from "../parts/table.tsx";
import { usePolled } from "../polled.ts";
import { addressOf, type Route, replaceAddress } from "../route.ts";
import { matching, meant, type NamespaceRow, rowOf } from "./list.ts";

const EVERY_MS = 30_000;

export function NamespaceList({ route }: { route: Route }) {
  const [text, setText] = useState(route.query.q ?? "");
  const polled = usePolled(NAMESPACES_PATH, EVERY_MS, { send: askAllPages });
  const { answer } = polled;
  const rows = objectsOf(answer?.namespaces).map(rowOf);
  const search = (next: string): void => {
    setText(next);
    replaceAddress(addressOf("namespaces", [], { q: next.trim() }));
  };
  const open = (event: Event): void => {
    event.preventDefault();
    const name = meant(rows, text);
    if (name !== undefined) location.hash = addressOf("namespaces", [name]);
  };
  return (
    <>
      <form class="row" onSubmit={open}>
        <TextField label="Search" value={text} placeholder="a name or a kind" onValue={search} />
        <a class="button" href={addressOf("design")}>
          Create a namespace
        </a>
      </form>
      <PollFailure polled={polled} scope="read" />
      {!answer && polled.error === undefined && <p>Loading …</p>}
      {answer && <Found rows={rows} text={text.trim()} isPartial={textOf(answer.cursor) !== ""} />}
    </>
  );
}

/** The namespaces that a search finds. `isPartial`: the list is longer than the console reads. */
export function Found(props: { rows: readonly NamespaceRow[]; text: string; isPartial: boolean }) {
  const { rows, text, isPartial } = props;
  const found = matching(rows, text);
  return (
    <>
      <p role="status">{countWords(found.length, rows.length, text)}</p>
      {isPartial && (
        <p>
          The list ends here after {figure(rows.length)} names. To open another namespace, type its
          whole name.
        </p>
      )}
      {found.length === 0 && NAMESPACE_NAME.test(text) && (
        <p>
          {isPartial && (
            <>
              <a href={addressOf("namespaces", [text])}>Open {text}</a>, or{" "}
            </>
          )}
          <a href={addressOf("design", [], { name: text })}>
            {isPartial ? "create" : "Create"} {text}
          </a>
        </p>
      )}
      {found.length > 0 && (
        <Table
          label="Namespaces"
          headings={HEADINGS}
          rows={found.map((row) => ({ id: row.name, cells: cellsOf(row) }))}
        />
      )}
    </>
  );
}

function countWords(found: number, all: number, text: string): string {
  const each = all === 1 ? "1 namespace" : `${figure(all)} namespaces`;
  if (text === "") return each;
  return `${found === 0 ? "None" : figure(found)} of ${each} ${found === 1 ? "matches" : "match"}`;
}

const HEADINGS = ["name", "kind", "layout", "shards", "lasts until", "open"];

function cellsOf({ name, kind, form, shards, isBuiltIn, isRetired, until }: NamespaceRow) {
  return [
    <>
      <a href={addressOf("namespaces", [name])}>{name}</a>
      {isBuiltIn && <small> built in</small>}
      {isRetired && <b class="warning"> retired</b>}
    </>,
    kind,
    form,
    shards,
    until,
    <span key="open" class="links">
      <a href={addressOf("shards", [name])} aria-label={`Shards of ${name}`}>
        Shards
      </a>{" "}
      {!isRetired && (
        <a href={addressOf("request", [name])} aria-label={`Request IDs of ${name}`}>
          Request IDs
        </a>
      )}
    </span>,
  ];
}
