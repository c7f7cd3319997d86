/** The search of the reference: filters operations, parameters and errors while one types. */

/** Something that is shown or hidden as a whole. */
interface Item {
  readonly element: HTMLElement;
  /** Title, path, description and scope, in lower case. */
  readonly title: string;
  /** Its parameters and fields, with their names in lower case. */
  readonly fields: readonly (readonly [row: HTMLElement, name: string])[];
}

const textOf = (element: Element): string => (element.textContent ?? "").toLowerCase();

const items: readonly Item[] = [
  ...document.querySelectorAll<HTMLElement>(".operation, .topic, .errors tbody tr"),
].map((element) => {
  const isRow = element.localName === "tr";
  const titles = isRow ? [element] : [...element.querySelectorAll("h3, .columns > div > p")];
  const rows = [...element.querySelectorAll<HTMLElement>(".fields > div")];
  return {
    element,
    title: titles.map(textOf).join(" "),
    fields: rows.map((row) => [row, textOf(row.querySelector("code") ?? row)] as const),
  };
});

/** Lists that the search has opened, and closes again. */
const opened = new Set<HTMLDetailsElement>();

/** Shows only what has all words of the query. Returns the number of operations and errors that are left. */
export function filter(query: string): { readonly operations: number; readonly errors: number } {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  reset();
  for (const { element, title, fields } of items) {
    const open = words.filter((word) => !title.includes(word));
    const hits = fields.filter(([, name]) => open.some((word) => name.includes(word)));
    element.hidden = !open.every((word) => hits.some(([, name]) => name.includes(word)));
    element.classList.toggle("brief", hits.length > 0);
    for (const [row] of element.hidden ? [] : hits) mark(row);
  }
  for (const group of document.querySelectorAll<HTMLElement>(".group, .errors")) {
    group.hidden = group.querySelector(":is(.operation, .topic, tbody tr):not([hidden])") === null;
  }
  filterContents();
  return {
    operations: items.filter(({ element }) => isShown(element, ".operation")).length,
    errors: items.filter(({ element }) => isShown(element, "tr")).length,
  };
}

/** The link of the first thing that is left. */
export function firstLink(): HTMLElement | null {
  const first = items.find(({ element }) => !element.hidden);
  return first?.element.querySelector("a") ?? null;
}

function isShown(element: HTMLElement, selector: string): boolean {
  return !element.hidden && element.matches(selector);
}

function reset(): void {
  for (const row of document.querySelectorAll(".hit")) row.classList.remove("hit");
  for (const list of opened) list.open = false;
  opened.clear();
}

/** Marks a row, and opens the lists that it is in. */
function mark(row: HTMLElement): void {
  row.classList.add("hit");
  for (
    let list = row.closest("details");
    list;
    list = list.parentElement?.closest("details") ?? null
  ) {
    if (list.open) continue;
    list.open = true;
    opened.add(list);
  }
}

function filterContents(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".contents a")) {
    const target = document.getElementById(link.hash.slice(1));
    const entry = link.closest("li");
    if (entry) entry.hidden = target?.closest("[hidden]") !== null;
  }
}
