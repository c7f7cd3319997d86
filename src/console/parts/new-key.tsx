import { useRef, useState } from "preact/hooks";
import { SCOPES, type Scope } from "../../core/api-key.ts";
import { parseInstant } from "../../core/instant.ts";
import { NAMESPACE_NAME } from "../../core/namespace/namespace.ts";
import { ask, type Json, textOf } from "../api.ts";
import { useAction } from "./action.ts";
import { Copy } from "./copy.tsx";
import { TextField } from "./field.tsx";
import { useParts } from "./parts.ts";
import { isWrong, Problem, WrongField } from "./problem.tsx";

interface Input {
  readonly name: string;
  /** Names, separated by commas or spaces; empty for all. */
  readonly namespaces: string;
  readonly expires: string;
  readonly scopes: readonly string[];
}

/** The usual key. */
const USUAL: Input = { name: "", namespaces: "", expires: "", scopes: ["issue"] };

const [NAMESPACES, UNTIL] = ["Only for these namespaces", "Until (UTC)"] as const;
const PROBLEM_ID = "new-key-problem";

/** The use of each scope. */
const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  issue: "Gets IDs and blocks: for services that need IDs.",
  read: "Decodes IDs, and sees namespaces and shards: for dashboards and people who look.",
  lease: "Leases worker IDs: for processes that make their own IDs.",
  admin: "All of these, and manages namespaces, leases and keys: for people who run the service.",
};

/** A form that creates a key and shows it once. */
export function NewKey({ onMade }: { onMade: () => void }) {
  const form = useParts(USUAL);
  const input = form.shown;
  const [createdKey, setCreatedKey] = useState("");
  const { isBusy, error, act } = useAction();
  const { change } = form;
  const again = useRef<HTMLButtonElement>(null);
  const putAway = (): void => {
    // The pressed button goes with the key.
    again.current?.focus();
    setCreatedKey("");
  };
  const create = (event: Event): void => {
    event.preventDefault();
    act(async () => {
      const body = bodyOf(form.latest());
      const isAnswer = ({ key }: Json): boolean => textOf(key) !== "";
      const { key } = await ask("/v1/keys", { method: "POST", body, isAnswer });
      setCreatedKey(textOf(key));
      change(USUAL);
      onMade();
    });
  };
  return (
    <>
      <h2>A new key</h2>
      <form class="new-key" onSubmit={create}>
        <div class="row">
          <TextField label="Name" value={input.name} onValue={(name) => change({ name })} />
          <TextField
            label={NAMESPACES}
            problem={isWrong(error, NAMESPACES) ? PROBLEM_ID : undefined}
            value={input.namespaces}
            onValue={(namespaces) => change({ namespaces })}
            placeholder="all"
          />
          <TextField
            label={UNTIL}
            problem={isWrong(error, UNTIL) ? PROBLEM_ID : undefined}
            value={input.expires}
            onValue={(expires) => change({ expires })}
            placeholder="never"
          />
        </div>
        <Scopes chosen={input.scopes} onChosen={(scopes) => change({ scopes })} />
        <button type="submit" ref={again} aria-busy={isBusy ? "true" : "false"}>
          Create
        </button>
      </form>
      {input.scopes.includes("admin") && (
        <p class="warning">
          A key with the scope admin may do everything, including creating and revoking keys.
        </p>
      )}
      <Problem
        id={PROBLEM_ID}
        error={error}
        scope="admin"
        doubt="The key may have been created, but it is lost. If it is in the list, revoke it, and create another."
      />
      <p role="status">{createdKey === "" ? "" : "The key is created. It is shown only once:"}</p>
      {createdKey !== "" && (
        <p class="made">
          <code>{createdKey}</code> <Copy text={createdKey} what="the key" />{" "}
          <button type="button" class="small" onClick={putAway}>
            I have it
          </button>
        </p>
      )}
    </>
  );
}

function Scopes(props: {
  chosen: readonly string[];
  onChosen: (scopes: readonly string[]) => void;
}) {
  const { chosen, onChosen } = props;
  return (
    <fieldset class="scopes">
      <legend>Scopes</legend>
      {SCOPES.map((scope) => (
        <div key={scope}>
          <label>
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              aria-describedby={`scope-${scope}`}
              onChange={() => {
                const others = chosen.filter((one) => one !== scope);
                onChosen(chosen.includes(scope) ? others : [...others, scope]);
              }}
            />
            <b>{scope}</b>
          </label>
          <small id={`scope-${scope}`}>{SCOPE_WORDS[scope]}</small>
        </div>
      ))}
    </fieldset>
  );
}

/** The body of POST /v1/keys. Throws if the form is invalid. */
export function bodyOf({ name, namespaces, expires, scopes }: Input): object {
  const only = namespaces.split(/[\s,]+/).filter((one) => one !== "");
  const wrong = only.find((one) => !NAMESPACE_NAME.test(one));
  if (wrong !== undefined) {
    throw new WrongField(NAMESPACES, `“${wrong}” is not a valid namespace name.`);
  }
  if (scopes.length === 0) throw new Error("A key needs at least one scope.");
  const expiresMs = expires.trim() === "" ? undefined : parseInstant(expires.trim());
  if (expires.trim() !== "" && expiresMs === undefined) {
    throw new WrongField(
      UNTIL,
      "Until must be unix ms, or a time such as 2027-01-31 or 2027-01-31T12:00Z.",
    );
  }
  return {
    scopes,
    ...(name !== "" && { name }),
    ...(only.length > 0 && { namespaces: only }),
    ...(expiresMs !== undefined && { expiresAt: new Date(expiresMs).toISOString() }),
  };
}
