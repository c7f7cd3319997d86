/** The section Design: a custom layout, its properties, IDs decoded with it, and a namespace created of it. */
import { useLayoutEffect, useState } from "preact/hooks";
import type { Layout } from "../../core/layout/layout.ts";
import {
  type Designed,
  type DesignInput,
  designAddress,
  designed,
  designIn,
} from "../design-input.ts";
import { facts, type LimitUse, limitUses, shardsUse } from "../layout-facts.ts";
import { Bits } from "../parts/bits.tsx";
import { CreateNamespace } from "../parts/create-namespace.tsx";
import { FactTable } from "../parts/fact-table.tsx";
import { TextField } from "../parts/field.tsx";
import { LayoutForm } from "../parts/layout-form.tsx";
import { useParts } from "../parts/parts.ts";
import { Problem } from "../parts/problem.tsx";
import { type Route, replaceAddress } from "../route.ts";
import { chosenIn, EncodingChoice, encodingQuery, Told, unreadIn } from "./decode.tsx";

/** How long a design must be unchanged before the address shows it, in ms: Safari allows 10 changes per second. */
const ADDRESS_AFTER_MS = 200;

/** The element with the problems of the design. */
const PROBLEM_ID = "design-problem";

interface State extends Required<DesignInput> {
  /** The ID to decode. */
  readonly id: string;
  readonly chosen: string;
}

export function Design({ route }: { route: Route }) {
  const form = useParts<State>(() => {
    return { ...designIn(route), id: route.parts[0] ?? "", chosen: chosenIn(route) };
  });
  const { shown } = form;
  const result = designed(shown);
  const { layout } = result;
  const showAddress = useLateAddress();
  const show = (part: Partial<State>): void => {
    const now = form.change(part);
    showAddress(designAddress(now, now.id.trim(), encodingQuery(now.chosen)));
  };
  return (
    <>
      <LayoutForm
        spec={shown.spec}
        onChange={(part) => show({ spec: { ...form.latest().spec, ...part } })}
      />
      {!result.ok && (
        <Problem id={PROBLEM_ID} error={`Invalid design: ${result.problems.join("; ")}.`} />
      )}
      {layout && <Reader layout={layout} state={shown} onChange={show} />}
      <Shards state={shown} problems={result.ok ? [] : result.problems} onChange={show} />
      {result.ok && (
        <FactTable caption="Properties" rows={facts(result.layout, result.shards, Date.now())} />
      )}
      <Limits uses={usesOf(shown, result)} />
      {result.ok && <CreateNamespace body={result.body} />}
    </>
  );
}

/** Shows an address after a pause: browsers reject as many changes as a slider makes. */
function useLateAddress(): (address: string) => void {
  const [box] = useState<{ timer?: ReturnType<typeof setTimeout> }>({});
  // Must not overwrite the address of the next view.
  useLayoutEffect(() => () => clearTimeout(box.timer), []);
  return (address) => {
    clearTimeout(box.timer);
    box.timer = setTimeout(() => replaceAddress(address), ADDRESS_AFTER_MS);
  };
}

function usesOf({ spec, shards }: State, result: Designed): LimitUse[] {
  const uses = limitUses(spec);
  if (!result.layout) return uses;
  const count = result.ok ? result.shards : Number(shards);
  return Number.isInteger(count) ? [...uses, shardsUse(result.layout, count)] : uses;
}

/** The picture of the layout, or of an ID decoded with it. */
function Reader(props: { layout: Layout; state: State; onChange: (part: Partial<State>) => void }) {
  const { layout, state, onChange } = props;
  const id = state.id.trim();
  return (
    <div>
      <form class="row" onSubmit={(event: Event) => event.preventDefault()}>
        <TextField
          label="ID to decode with it"
          value={state.id}
          placeholder="175928847299117063"
          problem={unreadIn(layout, id, state.chosen)}
          onValue={(next) => onChange({ id: next })}
        />
        <EncodingChoice value={state.chosen} onValue={(chosen) => onChange({ chosen })} />
      </form>
      {id === "" ? (
        <Bits layout={layout} />
      ) : (
        <Told layout={layout} text={id} chosen={state.chosen} />
      )}
    </div>
  );
}

function Shards(props: {
  state: State;
  problems: readonly string[];
  onChange: (part: Partial<State>) => void;
}) {
  const { state, problems, onChange } = props;
  const problemOf = (what: string): string | undefined =>
    problems.some((problem) => problem.startsWith(what)) ? PROBLEM_ID : undefined;
  return (
    <form class="row" onSubmit={(event: Event) => event.preventDefault()}>
      <TextField
        label="Shards (may grow later)"
        value={state.shards}
        placeholder="8"
        problem={problemOf("shards")}
        onValue={(next) => onChange({ shards: next.trim() })}
      />
      <TextField
        label="Regions (never change)"
        value={state.regions}
        placeholder="enam, wnam, weur, apac"
        problem={problemOf("regions")}
        onValue={(next) => onChange({ regions: next })}
      />
    </form>
  );
}

function Limits({ uses }: { uses: readonly LimitUse[] }) {
  return (
    <table>
      <caption>Limits</caption>
      <tbody>
        {uses.map(({ what, used, most, unit, why }) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>
              {used > most ? <b class="bad">{`${used - most} too many: `}</b> : ""}
              {used} of {most} {unit} <small>{why}</small>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
