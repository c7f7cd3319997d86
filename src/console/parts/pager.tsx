import { useLayoutEffect, useState } from "preact/hooks";

/** The query of the page that begins at a cursor; empty for the first page. */
export function cursorQuery(cursor: string): string {
  // Escaped, so that the service's cursor can't change the rest of the address.
  return cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor.toWellFormed())}`;
}

/** Buttons for the pages of a list. `next`: the cursor of the next page; empty on the last. */
export function Pager(props: { at: string; next: string; onGo: (cursor: string) => void }) {
  const { at, next, onGo } = props;
  const isPaged = at !== "" || next !== "";
  const [wasPaged, setWasPaged] = useState(isPaged);
  useLayoutEffect(() => {
    if (isPaged) setWasPaged(true);
  }, [isPaged]);
  // The buttons stay while a page loads and on the last one, because one of them may have the focus.
  if (!isPaged && !wasPaged) return null;
  return (
    <p class="pager">
      <PageButton words="First page" isOff={at === ""} onGo={() => onGo("")} />
      <PageButton words="Next page" isOff={next === ""} onGo={() => onGo(next)} />
    </p>
  );
}

function PageButton(props: { words: string; isOff: boolean; onGo: () => void }) {
  const { words, isOff, onGo } = props;
  return (
    <button
      type="button"
      class="small"
      aria-disabled={isOff ? "true" : "false"}
      onClick={() => !isOff && onGo()}
    >
      {words}
    </button>
  );
}
