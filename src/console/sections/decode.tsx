/** The section Decode: reads IDs in the page, with the service's core and without a request. */
import {
  decode as decodeText,
  ENCODINGS,
  type Encoding,
  encode,
  encodingTakes,
} from "../../core/codec.ts";
import { type DecodedSnowflake, decodedId } from "../../core/layout/decoded.ts";
import { maxIdOf } from "../../core/layout/id.ts";
import { fieldOf, type Layout } from "../../core/layout/layout.ts";
import { DEFAULT_SPEC } from "../../core/layout/presets.ts";
import { Bits, FIELD_MEANS } from "../design/bits.tsx";
import { designAddress } from "../design/design-input.ts";
import { PUBLISHED } from "../design/published.ts";
import { encodingsOf } from "../detect-encoding.ts";
import { Copy } from "../parts/copy.tsx";
import { Choice, TextField } from "../parts/field.tsx";
import { NAMESPACE_PROBLEM_ID, NamespaceField, useNamespace } from "../parts/namespace-field.tsx";
import { useParts } from "../parts/parts.ts";
import { Problem } from "../parts/problem.tsx";
import { Time } from "../parts/time.tsx";
import { addressOf, type Route, replaceAddress } from "../route.ts";

const DETECT = "auto";
const PROBLEM_ID = "id-problem";

/** The encoding in an address; auto-detected if it is absent or unknown. */
export function chosenIn({ query }: Route): string {
  return ENCODINGS.find((one) => one === query.encoding) ?? DETECT;
}

/** The encoding for an address; empty if it is auto-detected. */
export function encodingQuery(chosen: string): string {
  return chosen === DETECT ? "" : chosen;
}

export function Decode({ route }: { route: Route }) {
  const [given = "default", id = ""] = route.parts;
  const form = useParts({ name: given, text: id, chosen: chosenIn(route) });
  const { name, text, chosen } = form.shown;
  const { found, error } = useNamespace(name);
  const show = (part: Partial<typeof form.shown>): void => {
    const now = form.change(part);
    const parts = now.text === "" ? [now.name] : [now.name, now.text.trim()];
    replaceAddress(addressOf("decode", parts, { encoding: encodingQuery(now.chosen) }));
  };
  return (
    <>
      <form class="row" onSubmit={(event: Event) => event.preventDefault()}>
        <NamespaceField
          value={name}
          isWrong={error !== undefined}
          onValue={(value) => show({ name: value })}
        />
        <TextField
          label="ID"
          value={text}
          problem={found && unreadIn(found.layout, text.trim(), chosen)}
          placeholder="1541815603606036480"
          onValue={(value) => show({ text: value })}
        />
        <EncodingChoice value={chosen} onValue={(value) => show({ chosen: value })} />
      </form>
      <Problem id={NAMESPACE_PROBLEM_ID} error={error} scope="read" />
      {found && text.trim() !== "" && (
        <Told layout={found.layout} text={text.trim()} chosen={chosen} />
      )}
      {found && text.trim() === "" && <Hint />}
    </>
  );
}

function Hint() {
  return (
    <p>
      Paste an ID in any encoding. This page decodes it, and does not send it. For IDs of{" "}
      {[...PUBLISHED].map(([name, spec]) => (
        <span key={name}>
          <a href={designAddress({ spec })}>{name}</a>,{" "}
        </span>
      ))}
      or any other layout, <a href={designAddress({ spec: DEFAULT_SPEC })}>enter its layout</a>.
    </p>
  );
}

/** A choice of the encoding, by default auto-detected. */
export function EncodingChoice(props: { value: string; onValue: (chosen: string) => unknown }) {
  return (
    <Choice
      label="Encoding"
      value={props.value}
      options={[[DETECT, "auto-detect"], ...ENCODINGS.map((one) => [one, one] as const)]}
      onValue={props.onValue}
    />
  );
}

interface Reading {
  /** Undefined if the text is no ID of the layout. */
  readonly id?: { readonly value: bigint };
  readonly encoding: Encoding;
  /** Other encodings in which the text is an ID. */
  readonly others: readonly Encoding[];
}

/** Reads a text as an ID. `layout` is undefined for a segment. */
function readingOf(layout: Layout | undefined, text: string, chosen: string): Reading {
  const found = encodingsOf(text, layout, Date.now());
  const encoding = ENCODINGS.find((one) => one === chosen) ?? found[0] ?? "decimal";
  const others = found.filter((one) => one !== encoding);
  const value = decodeText(text, encoding);
  const isNone = value === undefined || (layout && value > maxIdOf(layout));
  return { encoding, others, ...(!isNone && { id: { value } }) };
}

/** The element that says why a text is no ID; undefined if it is one, or empty. */
export function unreadIn(
  layout: Layout | undefined,
  text: string,
  chosen: string,
): string | undefined {
  return text === "" || readingOf(layout, text, chosen).id ? undefined : PROBLEM_ID;
}

/** The decoded ID, or why the text is none. `layout` is undefined for a segment. */
export function Told(props: { layout: Layout | undefined; text: string; chosen: string }) {
  const { layout, text, chosen } = props;
  const { id: read, encoding, others } = readingOf(layout, text, chosen);
  if (!read) return <WhyNot layout={layout} text={text} chosen={chosen} />;
  const id = read.value;
  return (
    <>
      <p role="status">
        Read as {encoding}
        {chosen === DETECT ? ", auto-detected" : ""}
        {chosen === DETECT && others.length > 0 ? `; it could also be ${others.join(" or ")}` : ""}.
      </p>
      {layout ? (
        <Snowflake layout={layout} id={id} />
      ) : (
        <p>An ID of a segment is a plain number without fields.</p>
      )}
      <Encodings id={id} />
    </>
  );
}

function Snowflake({ layout, id }: { layout: Layout; id: bigint }) {
  const said = decodedId(layout, id);
  if (!said) return null;
  return (
    <>
      <Bits layout={layout} id={id} />
      <Fields layout={layout} said={said} />
    </>
  );
}

function Fields({ layout, said }: { layout: Layout; said: DecodedSnowflake }) {
  const values = { timestamp: said.tick, ...said };
  // As bigint: beyond 2^53 a number is not exact.
  const unixMs = BigInt(layout.epochMs) + BigInt(said.tick) * BigInt(layout.tickMs);
  return (
    <table>
      <caption>Fields</caption>
      <tbody>
        <tr>
          <th scope="row">time</th>
          <td>
            <Time unixMs={said.unixMs} />
          </td>
        </tr>
        <tr>
          <th scope="row">unix ms</th>
          <td>{`${unixMs}`}</td>
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
            <th scope="row" class="whole">
              <i class={`dot ${name}`} aria-hidden="true" /> {name}
            </th>
            <td>
              {values[name]}{" "}
              <small>
                {bits === 1 ? "1 bit" : `${bits} bits`}, {FIELD_MEANS[name]}
              </small>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Encodings({ id }: { id: bigint }) {
  return (
    <table>
      <caption>Encodings</caption>
      <tbody>
        {ENCODINGS.map((encoding) => (
          <tr key={encoding}>
            <th scope="row">{encoding}</th>
            <td>
              <code>{encode(id, encoding)}</code>
            </td>
            <td>
              <Copy text={encode(id, encoding)} what={`as ${encoding}`} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function WhyNot(props: { layout: Layout | undefined; text: string; chosen: string }) {
  const { layout, text, chosen } = props;
  const asked = ENCODINGS.filter((one) => chosen === DETECT || one === chosen);
  const [readable] = asked.filter((one) => decodeText(text, one) !== undefined);
  return (
    <p class="problem" role="alert" id={PROBLEM_ID}>
      {readable === undefined ? whyUnread(chosen) : whyTooLarge(layout, readable)}
    </p>
  );
}

function whyUnread(chosen: string): string {
  const encoding = ENCODINGS.find((one) => one === chosen);
  return encoding === undefined
    ? "Not an ID in any encoding: use digits and letters only, without sign, space or leading zero, at most 2^63 − 1."
    : `Not an ID in ${encoding}: use ${encodingTakes(encoding)}.`;
}

function whyTooLarge(layout: Layout | undefined, encoding: Encoding): string {
  const bits = layout ? `, whose IDs have ${layout.totalBits} bits` : "";
  return `Not an ID of this namespace${bits}: in ${encoding} it is larger.`;
}
