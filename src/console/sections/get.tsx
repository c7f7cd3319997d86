/** IDs from the service, and the lines that do the same elsewhere. */
import { useState } from "hono/jsx/dom";
import { ENCODINGS } from "../../core/codec.ts";
import { ask } from "../api.ts";
import { Copy } from "../parts/copy.tsx";
import { Choice, TextField } from "../parts/field.tsx";
import { NamespaceField } from "../parts/namespace-field.tsx";
import { Problem } from "../parts/problem.tsx";
import { addressOf, type Route } from "../route.ts";
import { savedKey } from "../session.ts";

interface Wish {
  readonly name: string;
  readonly count: string;
  readonly encoding: string;
  readonly key: string;
}

interface Got {
  readonly wish: Wish;
  readonly ids: readonly string[];
}

/** As many links as a page shows well. */
const SHOWN_MAX = 100;

export function Get({ route }: { route: Route }) {
  const [given = "default"] = route.parts;
  const [wish, setWish] = useState<Wish>({ name: given, count: "1", encoding: "decimal", key: "" });
  const [got, setGot] = useState<Got | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const change = (part: Partial<Wish>): void => setWish({ ...wish, ...part });
  const get = (event: Event): void => {
    event.preventDefault();
    ask(`/v1/ids/${encodeURIComponent(wish.name)}?${queryOf(wish)}`, { method: "POST" }).then(
      ({ ids }) => {
        setError(undefined);
        setGot({ wish, ids: Array.isArray(ids) ? ids.map((id) => `${id}`) : [] });
      },
      (problem: unknown) => {
        setError(problem);
        setGot(undefined);
      },
    );
  };
  return (
    <>
      <form class="row" onSubmit={get}>
        <NamespaceField value={wish.name} onValue={(name) => change({ name: name.trim() })} />
        <TextField
          label="Count"
          type="number"
          value={wish.count}
          onValue={(count) => change({ count })}
        />
        <Choice
          label="Encoding"
          value={wish.encoding}
          options={ENCODINGS.map((one) => [one, one] as const)}
          onValue={(encoding) => change({ encoding })}
        />
        <TextField
          label="Key (its IDs strictly increase)"
          value={wish.key}
          onValue={(key) => change({ key })}
        />
        <button type="submit">Get</button>
      </form>
      <Problem error={error} scope="issue" />
      {got && <Ids got={got} />}
      <h2>The same elsewhere</h2>
      <Lines wish={wish} />
    </>
  );
}

function Ids({ got: { wish, ids } }: { got: Got }) {
  const shown = ids.slice(0, SHOWN_MAX);
  const query = wish.encoding === "decimal" ? {} : { encoding: wish.encoding };
  return (
    <div role="status">
      <ol class="ids">
        {shown.map((id) => (
          <li key={id}>
            <a href={addressOf("decode", [wish.name, id], query)}>{id}</a>
          </li>
        ))}
      </ol>
      {ids.length > shown.length && <p>… and {ids.length - shown.length} more.</p>}
      <Copy text={ids.join("\n")} what="all IDs, one a line" />
    </div>
  );
}

function Lines({ wish }: { wish: Wish }) {
  const { name, count, key } = wish;
  const many = Number(count) > 1 || key !== "";
  const options = key === "" ? "" : `, { key: ${JSON.stringify(key)} }`;
  const authorization = savedKey() === "" ? "" : ' -H "Authorization: Bearer $KEY"';
  const lines = [
    [
      "curl",
      `curl${authorization} "${location.origin}/v1/ids/${encodeURIComponent(name)}?${queryOf(wish)}"`,
    ],
    [
      "client",
      `const ids = new Edgeflake({ url: ${JSON.stringify(location.origin)}, namespace: ${JSON.stringify(name)} });\n` +
        (many ? `await ids.take(${count}${options});` : "await ids.next();"),
    ],
    [
      "RPC",
      many
        ? `await env.IDS.nextIds(${JSON.stringify(name)}, ${count}${options});`
        : `await env.IDS.nextId(${JSON.stringify(name)});`,
    ],
  ] as const;
  return (
    <dl>
      {lines.map(([title, line]) => (
        <div key={title}>
          <dt>
            {title} <Copy text={line} what={`the ${title} line`} />
          </dt>
          <dd>
            <pre tabindex={0}>{line}</pre>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function queryOf({ count, encoding, key }: Wish): string {
  const query = new URLSearchParams({ count });
  if (encoding !== "decimal") query.set("encoding", encoding);
  if (key !== "") query.set("key", key);
  return query.toString();
}
