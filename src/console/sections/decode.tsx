/** What an ID says: reckoned here, by the same core as the service's, with no request. */
import { useEffect, useState } from "hono/jsx/dom";
import { decode as decodeText, ENCODINGS, type Encoding, encodingTakes } from "../../core/codec.ts";
import { type DecodedSnowflake, decodedId } from "../../core/decoded.ts";
import { fieldOf, type Layout } from "../../core/layout.ts";
import { encodingsOf } from "../guess-encoding.ts";
import { Bits, FIELD_MEANS } from "../parts/bits.tsx";
import { Copy } from "../parts/copy.tsx";
import { Choice, TextField } from "../parts/field.tsx";
import { NamespaceField, useNamespace } from "../parts/namespace-field.tsx";
import { Problem } from "../parts/problem.tsx";
import { relativeTime } from "../relative-time.ts";
import { addressOf, type Route, replaceAddress } from "../route.ts";

const GUESSED = "guessed";

export function Decode({ route }: { route: Route }) {
  const [given = "default", id = ""] = route.parts;
  const [name, setName] = useState(given);
  const [text, setText] = useState(id);
  const [chosen, setChosen] = useState<string>(route.query.encoding ?? GUESSED);
  useEffect(() => {
    setName(given);
    setText(id);
    setChosen(route.query.encoding ?? GUESSED);
  }, [given, id, route.query.encoding]);
  const { found, error } = useNamespace(name);
  const show = (next: { name?: string; text?: string; chosen?: string }): void => {
    const now = { name, text, chosen, ...next };
    setName(now.name);
    setText(now.text);
    setChosen(now.chosen);
    const encoding = now.chosen === GUESSED ? "" : now.chosen;
    const parts = now.text === "" ? [now.name] : [now.name, now.text.trim()];
    replaceAddress(addressOf("decode", parts, { encoding }));
  };
  return (
    <>
      <form class="row" onSubmit={(event: Event) => event.preventDefault()}>
        <NamespaceField value={name} onValue={(value) => show({ name: value.trim() })} />
        <TextField
          label="ID"
          value={text}
          placeholder="1541815603606036480"
          onValue={(value) => show({ text: value })}
        />
        <Choice
          label="Encoding"
          value={chosen}
          options={[[GUESSED, "guess it"], ...ENCODINGS.map((one) => [one, one] as const)]}
          onValue={(value) => show({ chosen: value })}
        />
      </form>
      <Problem error={error} scope="read" />
      {found && !found.layout && (
        <p>A segment’s number says no more than itself: how many were given out before it.</p>
      )}
      {found?.layout && text.trim() !== "" && (
        <Told layout={found.layout} text={text.trim()} chosen={chosen} />
      )}
    </>
  );
}

function Told({ layout, text, chosen }: { layout: Layout; text: string; chosen: string }) {
  const guesses = encodingsOf(text, layout, Date.now());
  const encoding = ENCODINGS.find((one) => one === chosen) ?? guesses[0] ?? "decimal";
  const id = decodeText(text, encoding);
  const said = id === undefined ? undefined : decodedId(layout, id);
  if (id === undefined || !said) return <WhyNot layout={layout} text={text} encoding={encoding} />;
  const others = guesses.filter((one) => one !== encoding);
  return (
    <>
      <p>
        Read as {encoding}
        {chosen === GUESSED ? ", guessed" : ""}
        {chosen === GUESSED && others.length > 0 ? `; it could be ${others.join(" or ")} too` : ""}.
      </p>
      <Bits layout={layout} id={id} />
      <Fields layout={layout} said={said} />
      <Encodings said={said} />
    </>
  );
}

function Fields({ layout, said }: { layout: Layout; said: DecodedSnowflake }) {
  const values = { timestamp: said.tick, ...said };
  return (
    <table>
      <caption>Fields</caption>
      <tbody>
        <tr>
          <th scope="row">time</th>
          <td>
            <b>{said.time ?? "past the year 275760"}</b> UTC
            <br />
            {new Date(said.unixMs).toLocaleString()} here, {relativeTime(said.unixMs, Date.now())}
          </td>
        </tr>
        <tr>
          <th scope="row">unix ms</th>
          <td>{said.unixMs}</td>
        </tr>
        <tr>
          <th scope="row">shard</th>
          <td>
            {said.shard}
            {fieldOf(layout, "datacenter") ? " (datacenter and worker as one number)" : ""}
          </td>
        </tr>
        {layout.fields.map(({ name, bits }) => (
          <tr key={name}>
            <th scope="row">
              <i class={`dot ${name}`} aria-hidden="true" /> {name}
            </th>
            <td>
              {values[name]}{" "}
              <small>
                {bits} bits, {FIELD_MEANS[name]}
              </small>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Encodings({ said }: { said: DecodedSnowflake }) {
  return (
    <table>
      <caption>Encodings</caption>
      <tbody>
        {ENCODINGS.map((encoding) => (
          <tr key={encoding}>
            <th scope="row">{encoding}</th>
            <td>
              <code>{said.encodings[encoding]}</code>
            </td>
            <td>
              <Copy text={said.encodings[encoding]} what={`as ${encoding}`} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function WhyNot(props: { layout: Layout; text: string; encoding: Encoding }) {
  const { layout, text, encoding } = props;
  const isText = decodeText(text, encoding) !== undefined;
  return (
    <p class="problem" role="alert">
      {isText
        ? `That is no ID of this namespace: its IDs have ${layout.totalBits} bits.`
        : `That is no ID as ${encoding}, which takes ${encodingTakes(encoding)}.`}
    </p>
  );
}
