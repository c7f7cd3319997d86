/** The page: its sections by address, and the key of this tab. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { KeyForm } from "./parts/key-form.tsx";
import { addressOf, useVisit } from "./route.ts";
import { Decode } from "./sections/decode.tsx";
import { Design } from "./sections/design.tsx";
import { Get } from "./sections/get.tsx";
import { Keys } from "./sections/keys.tsx";
import { Leases } from "./sections/leases.tsx";
import { Range } from "./sections/range.tsx";
import { Shards } from "./sections/shards.tsx";

const SECTIONS = [
  { name: "decode", title: "Decode", Section: Decode },
  { name: "range", title: "Range", Section: Range },
  { name: "get", title: "Get", Section: Get },
  { name: "design", title: "Design", Section: Design },
  { name: "shards", title: "Shards", Section: Shards },
  { name: "leases", title: "Leases", Section: Leases },
  { name: "keys", title: "Keys", Section: Keys },
] as const;

/** The view of an address without a known section. */
const START = { section: "decode", parts: [], query: {} };

export function App() {
  const { route, number } = useVisit();
  const known = SECTIONS.find(({ name }) => name === route.section);
  const { name: current, title, Section } = known ?? SECTIONS[0];
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = `${title} · Edgeflake`;
    // After a link, focus moves to the new view; the first view leaves it where the browser puts it.
    if (number > 0) heading.current?.focus();
  }, [number, title]);
  return (
    <>
      {/* Not a link: the part of the address after # names a section. */}
      <button type="button" class="skip" onClick={() => heading.current?.focus()}>
        Skip to the content
      </button>
      <header>
        <a class="brand" href={addressOf("decode")}>
          Edgeflake
        </a>
        <nav aria-label="Sections">
          {SECTIONS.map((section) => (
            <a
              key={section.name}
              href={addressOf(section.name)}
              aria-current={section.name === current ? "page" : "false"}
            >
              {section.title}
            </a>
          ))}
          <a href="/docs">API</a>
        </nav>
        <KeyForm />
      </header>
      <main>
        <h1 tabindex={-1} ref={heading}>
          {title}
        </h1>
        <Section key={`${current} ${number}`} route={known ? route : START} />
      </main>
    </>
  );
}
