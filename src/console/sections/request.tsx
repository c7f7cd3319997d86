/** The section Request IDs: IDs from the service, and code that gets the same elsewhere. */
import { useState } from "preact/hooks";
import { ENCODINGS } from "../../core/codec.ts";
import { IDS_COUNT_MAX } from "../../core/limits.ts";
import { ask, isNumber, type Json } from "../api.ts";
import { type Input, linesOf, NUMBER, queryOf } from "../code-lines.ts";
import { figure } from "../figure.ts";
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
  readonly input: Input;
  readonly ids: readonly string[];
}

const OFFERED: readonly string[] = [...ENCODINGS, NUMBER];

/** The most IDs to show as links. */
const SHOWN_MAX = 100;

export function RequestIds({ route }: { route: Route }) {
  const [given = "default"] = route.parts;
  const form = useParts<Input>({ name: given, count: "1", encoding: "decimal", key: "" });
  const input = form.shown;
  const [got, setGot] = useState<Got | undefined>(undefined);
  const { isBusy, error, act } = useAction();
  const change = (part: Partial<Input>): void => {
    replaceAddress(addressOf("request", [form.change(part).name]));
  };
  const request = (event: Event): void => {
    event.preventDefault();
    act(async () => {
      setGot(undefined);
      const asked = form.latest();
      const problem = problemOf(asked);
      if (problem) throw problem;
      const isAnswer = (answer: Json): boolean => idsIn(answer).length === Number(asked.count);
      const path = `/v1/ids/${asked.name}?${queryOf(asked)}`;
      setGot({ input: asked, ids: idsIn(await ask(path, { method: "POST", isAnswer })) });
    });
  };
  return (
    <>
      <form class="row" onSubmit={request} noValidate>
        <NamespaceField
          value={input.name}
          isWrong={isWrong(error, "Namespace")}
          onValue={(name) => change({ name })}
        />
        <TextField
          label="Count"
          type="number"
          value={input.count}
          problem={isWrong(error, "Count") ? PROBLEM_ID : undefined}
          onValue={(count) => change({ count })}
        />
        <Choice
          label="Encoding"
          value={input.encoding}
          options={OFFERED.map((one) => [one, one] as const)}
          onValue={(encoding) => change({ encoding })}
        />
        <TextField
          label="Key (its IDs strictly increase)"
          value={input.key}
          onValue={(key) => change({ key })}
        />
        <button type="submit" aria-busy={isBusy ? "true" : "false"}>
          Request IDs
        </button>
      </form>
      <Problem
        id={PROBLEM_ID}
        error={error}
        scope="issue"
        doubt="IDs may have been granted and lost; they are never issued again."
      />
      <p role="status">{got ? saidOf(got) : ""}</p>
      {got && <Ids got={got} />}
      <h2>The same in code</h2>
      <Lines input={input} />
    </>
  );
}

/** The IDs of a response: texts, or numbers if the encoding is `number`. */
export function idsIn({ ids }: Json): string[] {
  if (!Array.isArray(ids)) return [];
  const isId = (id: unknown): boolean => isNumber(id) || (typeof id === "string" && ID.test(id));
  return ids.filter(isId).map(String);
}

/** The digits of every encoding. */
const ID = /^[0-9A-Za-z]{1,64}$/;

/** The problem of an input; undefined if it is valid. */
export function problemOf({ name, count }: Input): WrongField | undefined {
  const isCount = /^[1-9]\d*$/.test(count) && Number(count) <= IDS_COUNT_MAX;
  if (!isCount) {
    return new WrongField("Count", `Count must be an integer from 1 to ${figure(IDS_COUNT_MAX)}.`);
  }
  const problem = nameProblem(name);
  return problem === undefined ? undefined : new WrongField("Namespace", problem);
}

function saidOf({ input, ids }: Got): string {
  return ids.length === 1
    ? `One ID of ${input.name}:`
    : `${figure(ids.length)} IDs of ${input.name}:`;
}

export function Ids({ got: { input, ids } }: { got: Got }) {
  const shown = ids.slice(0, SHOWN_MAX);
  const isDecimal = input.encoding === "decimal" || input.encoding === NUMBER;
  const query = isDecimal ? {} : { encoding: input.encoding };
  return (
    <div>
      <ol class="ids">
        {shown.map((id) => (
          <li key={id}>
            <a href={addressOf("decode", [input.name, id], query)}>{id}</a>
          </li>
        ))}
      </ol>
      {ids.length > shown.length && <p>… and {ids.length - shown.length} more.</p>}
      <Copy text={ids.join("\n")} what="all IDs, one per line" />
    </div>
  );
}

function Lines({ input }: { input: Input }) {
  // Code with an invalid count would fail elsewhere too.
  const sound = problemOf(input) === undefined ? input : { ...input, count: "1" };
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
