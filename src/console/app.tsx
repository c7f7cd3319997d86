/** The page: its sections by address, and the key of this tab. */
import { KeyForm } from "./parts/key-form.tsx";
import { addressOf, useRoute } from "./route.ts";
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

export function App() {
  const route = useRoute();
  const shown = SECTIONS.find(({ name }) => name === route.section) ?? SECTIONS[0];
  const { Section } = shown;
  return (
    <>
      <header>
        <a class="brand" href={addressOf("decode")}>
          Edgeflake
        </a>
        <nav aria-label="Sections">
          {SECTIONS.map(({ name, title }) => (
            <a
              key={name}
              href={addressOf(name)}
              {...(name === shown.name && { "aria-current": "page" })}
            >
              {title}
            </a>
          ))}
          <a href="/docs">API</a>
        </nav>
        <KeyForm />
      </header>
      <main>
        <h1>{shown.title}</h1>
        <Section key={shown.name} route={route} />
      </main>
    </>
  );
}
