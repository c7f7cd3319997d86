/** API keys: who has one, new ones, and their end. */
import { useEffect, useState } from "hono/jsx/dom";
import { SCOPES } from "../../core/api-key.ts";
import { ask, type Json, objectsOf, textOf } from "../api.ts";
import { Confirm } from "../parts/confirm.tsx";
import { Copy } from "../parts/copy.tsx";
import { TextField } from "../parts/field.tsx";
import { Problem } from "../parts/problem.tsx";

export function Keys() {
  const [keys, setKeys] = useState<readonly Json[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const list = (): void => {
    ask("/v1/keys?limit=100").then((answer) => {
      setError(undefined);
      setKeys(objectsOf(answer.keys));
    }, setError);
  };
  useEffect(list, []);
  const revoke = (id: string): void => {
    ask(`/v1/keys/${encodeURIComponent(id)}`, { method: "DELETE" }).then(list, setError);
  };
  return (
    <>
      <Problem error={error} scope="admin" />
      {keys && <KeyTable keys={keys} onRevoke={revoke} />}
      <Create onCreated={list} />
    </>
  );
}

function KeyTable(props: { keys: readonly Json[]; onRevoke: (id: string) => void }) {
  const { keys, onRevoke } = props;
  if (keys.length === 0) return <p>There is no key but the administrator’s.</p>;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">id</th>
            <th scope="col">name</th>
            <th scope="col">scopes</th>
            <th scope="col">namespaces</th>
            <th scope="col">until</th>
            <th scope="col">revoke</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => {
            const id = textOf(key.id);
            return (
              <tr key={id}>
                <th scope="row">
                  <code>{id}</code>
                </th>
                <td>{textOf(key.name)}</td>
                <td>{listOf(key.scopes)}</td>
                <td>{listOf(key.namespaces) || "all"}</td>
                <td>{textOf(key.expiresAt, "revoked")}</td>
                <td>
                  <Confirm
                    label="Revoke"
                    question="End it, everywhere within 30 s?"
                    what={`the key ${id}`}
                    onConfirm={() => onRevoke(id)}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Create({ onCreated }: { onCreated: () => void }) {
  const [name, setName] = useState("");
  const [namespaces, setNamespaces] = useState("");
  const [scopes, setScopes] = useState<readonly string[]>(["issue"]);
  const [made, setMade] = useState("");
  const [error, setError] = useState<unknown>(undefined);
  const create = (event: Event): void => {
    event.preventDefault();
    const only = namespaces.split(/[\s,]+/).filter((one) => one !== "");
    const body = {
      scopes,
      ...(name !== "" && { name }),
      ...(only.length > 0 && { namespaces: only }),
    };
    ask("/v1/keys", { method: "POST", body }).then(({ key }) => {
      setError(undefined);
      setMade(textOf(key));
      onCreated();
    }, setError);
  };
  const toggle = (scope: string): void => {
    const isOn = scopes.includes(scope);
    setScopes(isOn ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  };
  return (
    <>
      <h2>A new key</h2>
      <form class="row" onSubmit={create}>
        <TextField label="Name" value={name} onValue={setName} />
        <TextField
          label="Only for these namespaces"
          value={namespaces}
          onValue={setNamespaces}
          placeholder="all"
        />
        <fieldset>
          <legend>Scopes</legend>
          {SCOPES.map((scope) => (
            <label key={scope} class="check">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={() => toggle(scope)}
              />
              <span>{scope}</span>
            </label>
          ))}
        </fieldset>
        <button type="submit">Create</button>
      </form>
      <Problem error={error} scope="admin" />
      {made !== "" && (
        <p role="status">
          The key is shown this once: <code>{made}</code> <Copy text={made} what="the key" />{" "}
          <button type="button" class="small" onClick={() => setMade("")}>
            I have it
          </button>
        </p>
      )}
    </>
  );
}

function listOf(value: unknown): string {
  return Array.isArray(value) ? value.map((one) => textOf(one)).join(", ") : "";
}
