/** IDs from the service, and the lines that do the same elsewhere. */
import { useState } from "hono/jsx/dom";
import { ENCODINGS } from "../../core/codec.ts";
import { IDS_COUNT_MAX } from "../../core/limits.ts";
import { ask, isNumber, type Json } from "../api.ts";
import { figure } from "../figure.ts";
import { linesOf, NUMBER, queryOf, type Wish } from "../get-lines.ts";
import { useAction } from "../parts/action.ts";
import { Code } from "../parts/code.tsx";
import { Copy } from "../parts/copy.tsx";
import { Choice, TextField } from "../parts/field.tsx";
import {
  NamespaceField,
  nameProblem,
  NAMESPACE_PROBLEM_ID as PROBLEM_ID,
} from "../parts/namespace-field.tsx";
import { useParts } from "../parts/parts.ts";
import { isWrong, Problem, WrongField } from "../parts/problem.tsx";
import { addressOf, type Route, replaceAddress } from "../route.ts";
import { savedKey } from "../session.ts";

interface Got {
  readonly wish: Wish;
  readonly ids: readonly string[];
}

const OFFERED: readonly string[] = [...ENCODINGS, NUMBER];

/** As many links as a page shows well. */
const SHOWN_MAX = 100;

export function Get({ route }: { route: Route }) {
  const [given = "default"] = route.parts;
  const form = useParts<Wish>({ name: given, count: "1", encoding: "decimal", key: "" });
  const wish = form.shown;
  const [got, setGot] = useState<Got | undefined>(undefined);
  const { isBusy, error, act } = useAction();
  const change = (part: Partial<Wish>): void => {
    replaceAddress(addressOf("get", [form.change(part).name]));
  };
  const get = (event: Event): void => {
    event.preventDefault();
    act(async () => {
      setGot(undefined);
      const asked = form.latest();
      const problem = problemOf(asked);
      if (problem) throw problem;
      const isAnswer = (answer: Json): boolean => idsIn(answer).length === Number(asked.count);
      const path = `/v1/ids/${asked.name}?${queryOf(asked)}`;
      setGot({ wish: asked, ids: idsIn(await ask(path, { method: "POST", isAnswer })) });
    });
  };
  return (
    <>
      <form class="row" onSubmit={get} noValidate>
        <NamespaceField
          value={wish.name}
          isWrong={isWrong(error, "Namespace")}
          onValue={(name) => change({ name })}
        />
        <TextField
          label="Count"
          type="number"
          value={wish.count}
          problem={isWrong(error, "Count") ? PROBLEM_ID : undefined}
          onValue={(count) => change({ count })}
        />
        <Choice
          label="Encoding"
          value={wish.encoding}
          options={OFFERED.map((one) => [one, one] as const)}
          onValue={(encoding) => change({ encoding })}
        />
        <TextField
          label="Key (its IDs strictly increase)"
          value={wish.key}
          onValue={(key) => change({ key })}
        />
        <button type="submit" aria-busy={isBusy ? "true" : "false"}>
          Get
        </button>
      </form>
      <Problem
        id={PROBLEM_ID}
        error={error}
        scope="issue"
        doubt="IDs may have been given out to nobody: they are left out, and never given out again."
      />
      <p role="status">{got ? saidOf(got) : ""}</p>
      {got && <Ids got={got} />}
      <h2>The same elsewhere</h2>
      <Lines wish={wish} />
    </>
  );
}

/** The IDs of an answer: texts, or numbers where those were asked for. */
export function idsIn({ ids }: Json): string[] {
  if (!Array.isArray(ids)) return [];
  const isId = (id: unknown): boolean => isNumber(id) || (typeof id === "string" && ID.test(id));
  return ids.filter(isId).map(String);
}

/** The digits of every encoding. */
const ID = /^[0-9A-Za-z]{1,64}$/;

/** Why a wish cannot be one; undefined where it may. */
export function problemOf({ name, count }: Wish): WrongField | undefined {
  const isCount = /^[1-9]\d*$/.test(count) && Number(count) <= IDS_COUNT_MAX;
  if (!isCount) {
    const takes = `Count takes a whole number from 1 to ${figure(IDS_COUNT_MAX)}.`;
    return new WrongField("Count", takes);
  }
  const problem = nameProblem(name);
  return problem === undefined ? undefined : new WrongField("Namespace", problem);
}

function saidOf({ wish, ids }: Got): string {
  return ids.length === 1
    ? `One ID of ${wish.name}:`
    : `${figure(ids.length)} IDs of ${wish.name}:`;
}

export function Ids({ got: { wish, ids } }: { got: Got }) {
  const shown = ids.slice(0, SHOWN_MAX);
  const isDecimal = wish.encoding === "decimal" || wish.encoding === NUMBER;
  const query = isDecimal ? {} : { encoding: wish.encoding };
  return (
    <div>
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
  // An address of an empty or odd count would do no good elsewhere either.
  const sound = problemOf(wish) === undefined ? wish : { ...wish, count: "1" };
  return (
    <dl>
      {linesOf(sound, location.origin, savedKey() !== "").map(([title, line]) => (
        <div key={title}>
          <dt>
            {title} <Copy text={line} what={`the ${title} line`} />
          </dt>
          <dd>
            <Code label={title} text={line} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
