import { useLayoutEffect, useState } from "hono/jsx/dom";

/** The query of the page that begins there; none of the first. */
export function cursorQuery(cursor: string): string {
  // The service's own word, but it may not become more of the address than its cursor.
  return cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor.toWellFormed())}`;
}

/** Goes through a list that the service gives page by page. `next`: where the next page begins; empty on the last. */
export function Pager(props: { at: string; next: string; onGo: (cursor: string) => void }) {
  const { at, next, onGo } = props;
  const isPaged = at !== "" || next !== "";
  const [wasPaged, setWasPaged] = useState(isPaged);
  useLayoutEffect(() => {
    if (isPaged) setWasPaged(true);
  }, [isPaged]);
  // While a page is fetched, and on the last one, the buttons stay: one of them has the focus.
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
