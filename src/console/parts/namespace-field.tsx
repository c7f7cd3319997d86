/** A field for the name of a namespace, built-in or custom. */
import { useLayoutEffect, useState } from "preact/hooks";
import { NAME_RULE, NAMESPACE_NAME } from "../../core/namespace/namespace.ts";
import {
  builtIn,
  type KnownNamespace,
  listNames,
  namespaceIn,
  PRESET_NAMES,
} from "../namespaces.ts";
import { ONCE, usePolled } from "../polled.ts";
import { TextField } from "./field.tsx";

const LIST_ID = "namespaces";
/** How long a name must be unchanged before it is requested, in ms: not after each letter. */
const SETTLED_MS = 300;

/** The element with the problem of the name. */
export const NAMESPACE_PROBLEM_ID = "namespace-problem";

/** The field. `isWrong`: the element NAMESPACE_PROBLEM_ID describes its problem. */
export function NamespaceField(props: {
  value: string;
  isWrong: boolean;
  onValue: (name: string) => unknown;
}) {
  const [names, setNames] = useState(PRESET_NAMES);
  const offer = (): void => {
    // Only suggestions: if the request fails, those of the built-in ones are enough.
    listNames().then(setNames, () => undefined);
  };
  return (
    <>
      <TextField
        label="Namespace"
        value={props.value}
        list={LIST_ID}
        problem={props.isWrong ? NAMESPACE_PROBLEM_ID : undefined}
        onValue={(name) => props.onValue(name.trim())}
        onFocus={offer}
      />
      <datalist id={LIST_ID}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

/** The problem of a name; undefined if it is valid. */
export function nameProblem(name: string): string | undefined {
  return NAMESPACE_NAME.test(name) ? undefined : `A namespace’s name is ${NAME_RULE}.`;
}

/** The name once it is unchanged for SETTLED_MS; empty before that, or if it is invalid. */
export function useSettledName(name: string): string {
  const [settled, setSettled] = useState(name);
  useLayoutEffect(() => {
    const timer = setTimeout(() => setSettled(name), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [name]);
  return settled === name && NAMESPACE_NAME.test(name) ? name : "";
}

/** The namespace of a name once it is known, or the error. A built-in one needs no request. */
export function useNamespace(name: string): { found?: KnownNamespace; error?: unknown } {
  const known = builtIn(name);
  const asked = useSettledName(known ? "" : name);
  const { answer, error } = usePolled(asked === "" ? "" : `/v1/namespaces/${asked}`, ONCE);
  const problem = nameProblem(name);
  if (known) return { found: known };
  if (problem !== undefined) return { error: problem };
  if (error !== undefined || !answer) return { error };
  try {
    return { found: namespaceIn(answer) };
  } catch (cause) {
    return { error: cause };
  }
}
