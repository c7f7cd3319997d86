/** The search field: `/` leads to it, Enter to the first thing found, Escape clears it. */
import { filter, firstLink } from "./search.ts";

export function enableSearch(): void {
  const input = document.querySelector<HTMLInputElement>("#search");
  const form = input?.closest<HTMLElement>("search");
  if (!input || !form) return;
  form.hidden = false;
  input.addEventListener("input", () => search(input.value.trim()));
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") clear(input);
    if (key === "Enter") visitFirst();
  });
  addEventListener("keydown", (event) => {
    if (!isSlash(event)) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  // A link to something that the search hides shows it.
  addEventListener("hashchange", () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target?.closest("[hidden]")) return;
    clear(input);
    target.scrollIntoView();
  });
}

function search(query: string): void {
  const { operations, errors } = filter(query);
  const found = document.querySelector<HTMLElement>("#found");
  const nothing = document.querySelector<HTMLElement>("#nothing");
  if (found) found.textContent = query && `Operations: ${operations}, errors: ${errors}`;
  if (nothing) nothing.hidden = firstLink() !== null;
  if (query !== "") scrollTo(0, 0);
}

function clear(input: HTMLInputElement): void {
  input.value = "";
  search("");
}

function visitFirst(): void {
  const link = firstLink();
  link?.click();
  link?.focus();
}

/** True for the key `/` outside of a field. */
function isSlash({ target, key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isTyped = target instanceof Element && target.matches("input, textarea, select");
  return key === "/" && !isTyped && !ctrlKey && !metaKey && !altKey;
}
