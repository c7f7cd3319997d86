/** Goes through a list that the service gives page by page. `next`: where the next page begins; empty on the last. */
export function Pager(props: { at: string; next: string; onGo: (cursor: string) => void }) {
  const { at, next, onGo } = props;
  if (at === "" && next === "") return null;
  return (
    <p class="pager">
      {at !== "" && (
        <button type="button" class="small" onClick={() => onGo("")}>
          First page
        </button>
      )}
      {next !== "" && (
        <button type="button" class="small" onClick={() => onGo(next)}>
          Next page
        </button>
      )}
    </p>
  );
}
