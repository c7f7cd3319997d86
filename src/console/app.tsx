/** The page: its sections by address, and the key of this tab. */
import type { FunctionComponent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { SECTIONS } from "../assets/sections.ts";
import { KeyForm } from "./parts/key-form.tsx";
import { type Route, useVisit } from "./route.ts";
import { Decode } from "./sections/decode.tsx";
import { Design } from "./sections/design.tsx";
import { Keys } from "./sections/keys.tsx";
import { Leases } from "./sections/leases.tsx";
import { Namespaces } from "./sections/namespaces.tsx";
import { Overview } from "./sections/overview.tsx";
import { Range } from "./sections/range.tsx";
import { RequestIds } from "./sections/request.tsx";
import { Shards } from "./sections/shards.tsx";
import { useKeyRequired } from "./session.ts";

type SectionName = (typeof SECTIONS)[number]["name"] | "design";

interface View {
  readonly title: string;
  /** The entry of the navigation that it belongs to. */
  readonly entry: SectionName;
  /** The scope that it needs if the service requires keys. */
  readonly scope: string;
  readonly Section: FunctionComponent<{ route: Route }>;
}

const VIEWS: Readonly<Record<SectionName, View>> = {
  overview: { title: "Overview", entry: "overview", scope: "issue and read", Section: Overview },
  request: { title: "Request IDs", entry: "request", scope: "issue", Section: RequestIds },
  decode: {
    title: "Decode",
    entry: "decode",
    scope: "read, for a namespace of your own",
    Section: Decode,
  },
  range: {
    title: "Range",
    entry: "range",
    scope: "read, for a namespace of your own",
    Section: Range,
  },
  namespaces: {
    title: "Namespaces",
    entry: "namespaces",
    scope: "read; a change needs admin",
    Section: Namespaces,
  },
  design: { title: "Create a namespace", entry: "namespaces", scope: "admin", Section: Design },
  shards: { title: "Shards", entry: "shards", scope: "read", Section: Shards },
  leases: {
    title: "Leases",
    entry: "leases",
    scope: "lease; revoking needs admin",
    Section: Leases,
  },
  keys: { title: "Keys", entry: "keys", scope: "admin", Section: Keys },
};

function isSection(name: string): name is SectionName {
  return Object.hasOwn(VIEWS, name);
}

export function App() {
  const { route, number } = useVisit();
  const name = isSection(route.section) ? route.section : "overview";
  const { title, entry, scope, Section } = VIEWS[name];
  const requiresKey = useKeyRequired();
  const heading = useRef<HTMLHeadingElement>(null);
  const nav = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    document.title = `${title} · Edgeflake`;
    // On a narrow window the navigation scrolls.
    const current = nav.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (nav.current && current) {
      nav.current.scrollLeft =
        current.offsetLeft - (nav.current.clientWidth - current.offsetWidth) / 2;
    }
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
        <a class="brand" href="#/">
          Edgeflake
        </a>
        <nav aria-label="Sections" ref={nav}>
          {SECTIONS.map((one) => (
            <a
              key={one.name}
              href={one.href.slice(1)}
              aria-current={one.name === entry ? "page" : "false"}
            >
              {one.title}
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
        {requiresKey && <p class="scope">Required scope: {scope}.</p>}
        <Section key={`${name} ${number}`} route={route} />
      </main>
    </>
  );
}
