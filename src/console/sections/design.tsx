/** A layout of one's own: what its bits give, and the body that makes a namespace of it. */
import { useState } from "hono/jsx/dom";
import { type LayoutSpec, makeLayout } from "../../core/layout.ts";
import { PRESETS } from "../../core/presets.ts";
import { ask } from "../api.ts";
import { facts } from "../layout-facts.ts";
import { Bits } from "../parts/bits.tsx";
import { Copy } from "../parts/copy.tsx";
import { Choice, Labelled, TextField, textIn } from "../parts/field.tsx";
import { Problem } from "../parts/problem.tsx";

/** The widths that can be set, and how far. */
const WIDTHS = [
  ["timestampBits", "Timestamp bits", 1, 53],
  ["datacenterBits", "Datacenter bits", 0, 22],
  ["workerBits", "Worker bits", 0, 22],
  ["laneBits", "Lane bits", 0, 4],
  ["sequenceBits", "Sequence bits", 0, 52],
] as const;

const TICKS = [
  ["1", "1 ms"],
  ["10", "10 ms"],
  ["1000", "1 s"],
] as const;

function startOf(preset: string): LayoutSpec {
  const known = PRESETS.get(preset);
  if (!known) throw new RangeError(`there is no preset ${preset}`);
  return known.spec;
}

export function Design() {
  const [spec, setSpec] = useState<LayoutSpec>(startOf("default"));
  const made = makeLayout(spec);
  return (
    <>
      <form class="sliders" onSubmit={(event: Event) => event.preventDefault()}>
        <Choice
          label="Begin with"
          value=""
          options={[["", "…"], ...[...PRESETS.keys()].map((name) => [name, name] as const)]}
          onValue={(name) => name !== "" && setSpec(startOf(name))}
        />
        <EpochField epochMs={spec.epochMs} onValue={(epochMs) => setSpec({ ...spec, epochMs })} />
        <Choice
          label="Tick"
          value={`${spec.tickMs}`}
          options={TICKS}
          onValue={(tick) => setSpec({ ...spec, tickMs: Number(tick) })}
        />
        {WIDTHS.map(([name, label, least, most]) => (
          <Labelled key={name} label={`${label}: ${spec[name]}`}>
            <input
              type="range"
              min={least}
              max={most}
              value={spec[name]}
              onInput={(event: Event) => setSpec({ ...spec, [name]: Number(textIn(event)) })}
            />
          </Labelled>
        ))}
      </form>
      {made.ok ? (
        <>
          <Bits layout={made.layout} />
          <table>
            <caption>What it gives</caption>
            <tbody>
              {facts(spec, made.layout, Date.now()).map(([what, value]) => (
                <tr key={what}>
                  <th scope="row">{what}</th>
                  <td>{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <Create spec={spec} />
        </>
      ) : (
        <Problem error={`${made.problems.join("; ")}.`} />
      )}
    </>
  );
}

function EpochField(props: { epochMs: number; onValue: (epochMs: number) => void }) {
  const day = new Date(props.epochMs).toISOString().slice(0, 10);
  return (
    <Labelled label="Epoch (UTC)">
      <input
        type="date"
        value={day}
        min="1970-01-01"
        onInput={(event: Event) => {
          const epochMs = Date.parse(`${textIn(event)}T00:00:00Z`);
          if (epochMs >= 0) props.onValue(epochMs);
        }}
      />
    </Labelled>
  );
}

function Create({ spec }: { spec: LayoutSpec }) {
  const [name, setName] = useState("");
  const [done, setDone] = useState("");
  const [error, setError] = useState<unknown>(undefined);
  const body = { kind: "snowflake", layout: spec };
  const text = JSON.stringify(body, null, 2);
  const create = (event: Event): void => {
    event.preventDefault();
    setDone("");
    ask(`/v1/namespaces/${encodeURIComponent(name.trim())}`, { method: "PUT", body }).then(() => {
      setError(undefined);
      setDone(name.trim());
    }, setError);
  };
  return (
    <>
      <h2>The namespace</h2>
      <p>
        The body of <code>PUT /v1/namespaces/{name.trim() || "…"}</code>{" "}
        <Copy text={text} what="the body" />
      </p>
      <pre tabindex={0}>{text}</pre>
      <form class="row" onSubmit={create}>
        <TextField label="Name" value={name} onValue={setName} placeholder="orders" />
        <button type="submit">Create it</button>
      </form>
      <Problem error={error} scope="admin" />
      {done !== "" && (
        <p role="status">
          The namespace {done} is there. <a href={`#/get/${encodeURIComponent(done)}`}>Get an ID</a>
        </p>
      )}
    </>
  );
}
