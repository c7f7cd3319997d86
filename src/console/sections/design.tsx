/** A layout of one's own: what its bits give, IDs read with it, and the body that makes a namespace of it. */
import { useEffect, useState } from "hono/jsx/dom";
import type { Layout } from "../../core/layout.ts";
import { ApiError, ask } from "../api.ts";
import {
  type DesignBody,
  type Designed,
  type DesignWish,
  designAddress,
  designed,
  designIn,
} from "../design-wish.ts";
import { facts, type LimitUse, limitUses, shardsUse } from "../layout-facts.ts";
import { useAction } from "../parts/action.ts";
import { Bits } from "../parts/bits.tsx";
import { Code } from "../parts/code.tsx";
import { Copy } from "../parts/copy.tsx";
import { TextField } from "../parts/field.tsx";
import { LayoutForm } from "../parts/layout-form.tsx";
import { nameProblem } from "../parts/namespace-field.tsx";
import { useParts } from "../parts/parts.ts";
import { isWrong, Problem, WrongField } from "../parts/problem.tsx";
import { addressOf, type Route, replaceAddress } from "../route.ts";
import { savedKey } from "../session.ts";
import { chosenIn, EncodingChoice, encodingQuery, Told, unreadIn } from "./decode.tsx";

/** How long a design must stand before the address has it, in ms: Safari takes 10 changes a second at most. */
const ADDRESS_AFTER_MS = 200;

/** What is wrong with the design stands there. */
const PROBLEM_ID = "design-problem";

interface State extends Required<DesignWish> {
  /** An ID to read. */
  readonly id: string;
  readonly chosen: string;
}

export function Design({ route }: { route: Route }) {
  const form = useParts<State>(() => {
    return { ...designIn(route), id: route.parts[0] ?? "", chosen: chosenIn(route) };
  });
  const { shown } = form;
  const wished = designed(shown);
  const { layout } = wished;
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
      {!wished.ok && (
        <Problem id={PROBLEM_ID} error={`That cannot be: ${wished.problems.join("; ")}.`} />
      )}
      {layout && <Reader layout={layout} state={shown} onChange={show} />}
      <Shards state={shown} problems={wished.ok ? [] : wished.problems} onChange={show} />
      {wished.ok && <Facts layout={wished.layout} shards={wished.shards} />}
      <Limits uses={usesOf(shown, wished)} />
      {wished.ok && <Create body={wished.body} />}
    </>
  );
}

/** Shows an address once it has stood for a moment: browsers refuse as many changes as a slider makes. */
function useLateAddress(): (address: string) => void {
  const [box] = useState<{ timer?: ReturnType<typeof setTimeout> }>({});
  // Not over the address of the view that comes after this one.
  useEffect(() => () => clearTimeout(box.timer), []);
  return (address) => {
    clearTimeout(box.timer);
    box.timer = setTimeout(() => replaceAddress(address), ADDRESS_AFTER_MS);
  };
}

function usesOf({ spec, shards }: State, wished: Designed): LimitUse[] {
  const uses = limitUses(spec);
  if (!wished.layout) return uses;
  const asked = wished.ok ? wished.shards : Number(shards);
  return Number.isInteger(asked) ? [...uses, shardsUse(wished.layout, asked)] : uses;
}

/** The picture of the layout, or of an ID that is read with it. */
function Reader(props: { layout: Layout; state: State; onChange: (part: Partial<State>) => void }) {
  const { layout, state, onChange } = props;
  const id = state.id.trim();
  return (
    <div>
      <form class="row" onSubmit={(event: Event) => event.preventDefault()}>
        <TextField
          label="An ID to read with it"
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

function Facts({ layout, shards }: { layout: Layout; shards: number }) {
  return (
    <table>
      <caption>What it gives</caption>
      <tbody>
        {facts(layout, shards, Date.now()).map(([what, value]) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Limits({ uses }: { uses: readonly LimitUse[] }) {
  return (
    <table>
      <caption>How near the limits</caption>
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

function Create({ body }: { body: DesignBody }) {
  const form = useParts({ name: "" });
  const { name } = form.shown;
  const [done, setDone] = useState("");
  const { isBusy, error, act } = useAction();
  const text = JSON.stringify(body, null, 2);
  const create = (event: Event): void => {
    event.preventDefault();
    act(async () => {
      setDone("");
      const given = form.latest().name;
      const problem = nameProblem(given);
      if (problem !== undefined) throw new WrongField("Name", problem);
      // A PUT would not refuse the same layout, but put its policy back.
      if (await isTaken(given)) {
        throw new WrongField("Name", `There is a namespace ${given} already.`);
      }
      await ask(`/v1/namespaces/${given}`, {
        method: "PUT",
        body,
        isAnswer: (answer) => answer.name === given,
      });
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
      <p>
        It has the policy of <code>default</code> (waits 250 ms at most, leads by up to 1 s, rides
        out a clock up to 1 h back), whatever the layout began with; a <code>policy</code> in the
        body says otherwise.
      </p>
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
      <Problem
        id="name-problem"
        error={error}
        scope="admin"
        doubt="It may be there nonetheless: to try once more does no harm, and says so."
      />
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

/** Whether there is one of one's own by that name; of other names the service says more. */
async function isTaken(name: string): Promise<boolean> {
  try {
    const { builtIn, retired } = await ask(`/v1/namespaces/${name}`, {
      isAnswer: (answer) => answer.name === name,
    });
    return builtIn !== true && retired !== true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}
