/** Where a namespace is named: a built-in one, or any other of the service. */
import { useEffect, useState } from "hono/jsx/dom";
import { findNamespace, type KnownNamespace, listNames, PRESET_NAMES } from "../namespaces.ts";
import { TextField } from "./field.tsx";

const LIST_ID = "namespaces";

export function NamespaceField(props: { value: string; onValue: (name: string) => void }) {
  const [names, setNames] = useState(PRESET_NAMES);
  useEffect(() => {
    // Only an offer: without a key, or a service that answers, the built-in ones are enough.
    listNames().then(setNames, () => undefined);
  }, []);
  return (
    <>
      <TextField label="Namespace" list={LIST_ID} {...props} />
      <datalist id={LIST_ID}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

/** The namespace of that name, once it is known, or why it is not. */
export function useNamespace(name: string): { found?: KnownNamespace; error?: unknown } {
  const [state, setState] = useState<{ name: string; found?: KnownNamespace; error?: unknown }>({
    name: "",
  });
  useEffect(() => {
    let isWanted = name !== "";
    findNamespace(name).then(
      (found) => isWanted && setState({ name, found }),
      (error: unknown) => isWanted && setState({ name, error }),
    );
    return () => {
      isWanted = false;
    };
  }, [name]);
  return state.name === name ? state : {};
}
