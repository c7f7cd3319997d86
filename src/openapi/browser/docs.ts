/** The script of the reference. The page is complete without it. */
import { filter, firstLink } from "./search.ts";

/** How long a button says that it has copied, in ms. */
const COPIED_MS = 1500;

const all = <Found extends HTMLElement = HTMLElement>(selector: string): readonly Found[] => [
  ...document.querySelectorAll<Found>(selector),
];
const [input] = all<HTMLInputElement>("#search");
const [found, nothing] = all("#found, #nothing");

function search(): void {
  const query = input?.value.trim() ?? "";
  const { operations, errors } = filter(query);
  if (nothing) nothing.hidden = firstLink() !== null;
  if (query !== "") scrollTo(0, 0);
  if (found) found.textContent = query && `${operations} operations and ${errors} errors found`;
}

function clear(): void {
  if (!input?.value) return;
  input.value = "";
  search();
}

input?.addEventListener("input", search);
input?.addEventListener("keydown", (event) => {
  if (event.key === "Escape") clear();
  if (event.key !== "Enter") return;
  const link = firstLink();
  link?.click();
  link?.focus();
});
addEventListener("keydown", (event) => {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  if (key !== "/" || ctrlKey || metaKey || altKey) return;
  if (target instanceof Element && target.matches("input, textarea, select")) return;
  event.preventDefault();
  input?.focus();
  input?.select();
});
for (const field of all("search")) field.hidden = false;

/** A link to something that the search hides shows it. */
addEventListener("hashchange", () => {
  const target = document.getElementById(location.hash.slice(1));
  if (!target?.closest("[hidden]")) return;
  clear();
  target.scrollIntoView();
});
for (const list of all<HTMLDetailsElement>("details.contents")) {
  list.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("a")) list.open = false;
  });
}

/** The contents mark the section that is read. */
const watched = all(".operation, .topic, .errors");
const seen = new Set<Element>();
const observer = new IntersectionObserver(
  (changes) => {
    for (const { target, isIntersecting } of changes) {
      if (isIntersecting) seen.add(target);
      else seen.delete(target);
    }
    const current = watched.find((section) => seen.has(section))?.getAttribute("aria-labelledby");
    for (const link of all<HTMLAnchorElement>("div.contents a")) {
      link.toggleAttribute("aria-current", link.hash === `#${current}`);
      if (link.hash === `#${current}`) keepInView(link);
    }
  },
  { rootMargin: "-10% 0px -70%" },
);
for (const section of watched) observer.observe(section);

function keepInView(link: HTMLElement): void {
  const column = link.closest("aside");
  if (!column) return;
  const below = link.getBoundingClientRect().bottom - column.getBoundingClientRect().bottom;
  const above = link.getBoundingClientRect().top - column.getBoundingClientRect().top;
  if (below > 0 || above < 0) column.scrollBy(0, above - column.clientHeight / 2);
}

// On a narrow page the header scrolls: its last link is this page's.
for (const sections of all("header nav")) sections.scrollLeft = sections.scrollWidth;
for (const origin of all(".origin")) origin.textContent = location.origin;

for (const figure of navigator.clipboard ? all("figure") : []) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "small";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(figure.querySelector("pre")?.textContent ?? "");
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, COPIED_MS);
  });
  figure.querySelector("figcaption")?.append(button);
}
