/** A layout of one's own: what its bits give, and the body that makes a namespace of it. */
import { useState } from "hono/jsx/dom";
import { type LayoutSpec, makeLayout } from "../../core/layout.ts";
import { PRESETS } from "../../core/presets.ts";
import { ask } from "../api.ts";
import { facts, limitUses } from "../layout-facts.ts";
import { useAction } from "../parts/action.ts";
import { Bits } from "../parts/bits.tsx";
import { Code } from "../parts/code.tsx";
import { Copy } from "../parts/copy.tsx";
import { TextField } from "../parts/field.tsx";
import { LayoutForm } from "../parts/layout-form.tsx";
import { nameProblem } from "../parts/namespace-field.tsx";
import { useParts } from "../parts/parts.ts";
import { isWrong, Problem, WrongField } from "../parts/problem.tsx";
import { addressOf } from "../route.ts";
import { savedKey } from "../session.ts";

function startOf(preset: string): LayoutSpec {
  const known = PRESETS.get(preset);
  if (!known) throw new RangeError(`there is no preset ${preset}`);
  return known.spec;
}

export function Design() {
  const form = useParts<LayoutSpec>(startOf("default"));
  const spec = form.shown;
  const made = makeLayout(spec);
  return (
    <>
      <LayoutForm spec={spec} onChange={form.change} />
      {made.ok ? (
        <Bits layout={made.layout} />
      ) : (
        <Problem error={`That cannot be: ${made.problems.join("; ")}.`} />
      )}
      {made.ok && (
        <table>
          <caption>What it gives</caption>
          <tbody>
            {facts(made.layout, Date.now()).map(([what, value]) => (
              <tr key={what}>
                <th scope="row">{what}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Limits spec={spec} />
      {made.ok && <Create spec={spec} />}
    </>
  );
}

function Limits({ spec }: { spec: LayoutSpec }) {
  return (
    <table>
      <caption>How near the limits</caption>
      <tbody>
        {limitUses(spec).map(({ what, bits, most, why }) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>
              {bits > most ? <b class="bad">{`${bits - most} too many: `}</b> : ""}
              {bits} of {most} bits <small>{why}</small>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Create({ spec }: { spec: LayoutSpec }) {
  const form = useParts({ name: "" });
  const { name } = form.shown;
  const [done, setDone] = useState("");
  const { isBusy, error, act } = useAction();
  const body = { kind: "snowflake", layout: layoutBody(spec) };
  const text = JSON.stringify(body, null, 2);
  const create = (event: Event): void => {
    event.preventDefault();
    act(async () => {
      setDone("");
      const given = form.latest().name;
      const problem = nameProblem(given);
      if (problem !== undefined) throw new WrongField("Name", problem);
      await ask(`/v1/namespaces/${given}`, { method: "PUT", body });
      setDone(given);
    });
  };
  return (
    <>
      <h2>The namespace</h2>
      <p>
        The body of <code>PUT /v1/namespaces/{name || "…"}</code>{" "}
        <Copy text={text} what="the body" />
      </p>
      <Code label="The body" text={text} />
      <p>A layout never changes once its namespace is there; a retired name is never used again.</p>
      <form class="row" onSubmit={create}>
        <TextField
          label="Name"
          value={name}
          problem={isWrong(error, "Name") ? "name-problem" : undefined}
          onValue={(next) => form.change({ name: next.trim() })}
          placeholder="orders"
        />
        <button type="submit" aria-busy={isBusy ? "true" : "false"}>
          Create it
        </button>
      </form>
      <Problem id="name-problem" error={error} scope="admin" />
      <p role="status">
        {done !== "" && (
          <>
            The namespace {done} is there. <a href={addressOf("get", [done])}>Get an ID</a>
          </>
        )}
      </p>
      {savedKey() === "" && error === undefined && done === "" && (
        <p>Where the service asks for keys, this takes one with the scope admin.</p>
      )}
    </>
  );
}

/** Without words on lanes where there is one only. */
function layoutBody(spec: LayoutSpec): LayoutSpec {
  if (spec.laneBits > 0) return spec;
  const { lanePlace: _, laneUse: __, ...layout } = spec;
  return layout;
}
