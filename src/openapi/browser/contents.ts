/** The table of contents: it names the section that is read, and on a phone closes after a choice. */

/** The part of the window where a section counts as read. */
const READ_MARGIN = "-10% 0px -70%";

export function closeAfterChoice(): void {
  for (const list of document.querySelectorAll<HTMLDetailsElement>("details.contents")) {
    list.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest("a")) list.open = false;
    });
  }
}

/** Marks the section that is read, and keeps its link in view. */
export function followReading(): void {
  const sections = [...document.querySelectorAll(".operation, .topic, .errors")];
  const seen = new Set<Element>();
  const observer = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) {
        if (isIntersecting) seen.add(target);
        else seen.delete(target);
      }
      const current = sections.find((section) => seen.has(section));
      markLink(`#${current?.getAttribute("aria-labelledby")}`);
    },
    { rootMargin: READ_MARGIN },
  );
  for (const section of sections) observer.observe(section);
}

function markLink(hash: string): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("div.contents a")) {
    if (link.hash !== hash) {
      link.removeAttribute("aria-current");
      continue;
    }
    link.setAttribute("aria-current", "true");
    keepInView(link);
  }
}

function keepInView(link: HTMLElement): void {
  const column = link.closest("aside");
  if (!column) return;
  const [inner, outer] = [link.getBoundingClientRect(), column.getBoundingClientRect()];
  if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
  column.scrollBy(0, inner.top - outer.top - column.clientHeight / 2);
}
