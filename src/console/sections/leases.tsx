/** Worker IDs on lease to processes that mint themselves. */
import { useState } from "hono/jsx/dom";
import { ask, numberOf, objectsOf, textOf } from "../api.ts";
import { Confirm } from "../parts/confirm.tsx";
import { NamespaceField } from "../parts/namespace-field.tsx";
import { Problem } from "../parts/problem.tsx";
import { usePolled } from "../polled.ts";
import { addressOf, type Route, replaceAddress } from "../route.ts";
import { duration } from "../shard-state.ts";

const EVERY_MS = 5000;

export function Leases({ route }: { route: Route }) {
  const [name, setName] = useState(route.parts[0] ?? "default");
  const [revoked, setRevoked] = useState(0);
  const [failure, setFailure] = useState<unknown>(undefined);
  const path = `/v1/leases/${encodeURIComponent(name)}`;
  // The number makes it ask anew at once; it is no parameter of the service.
  const { answer, error } = usePolled(name === "" ? "" : `${path}?limit=100#${revoked}`, EVERY_MS);
  const show = (next: string): void => {
    setName(next.trim());
    replaceAddress(addressOf("leases", [next.trim()]));
  };
  const revoke = (worker: number): void => {
    ask(`${path}/${worker}?revoke=true`, { method: "DELETE" }).then(() => {
      setFailure(undefined);
      setRevoked(revoked + 1);
    }, setFailure);
  };
  const leases = objectsOf(answer?.leases);
  return (
    <>
      <form class="row" onSubmit={(event: Event) => event.preventDefault()}>
        <NamespaceField value={name} onValue={show} />
      </form>
      <Problem error={error} scope="lease" />
      <Problem error={failure} scope="admin" />
      {answer && leases.length === 0 && <p>No worker ID of this namespace was ever leased.</p>}
      {leases.length > 0 && (
        <div class="wide">
          <table>
            <thead>
              <tr>
                <th scope="col">worker ID</th>
                <th scope="col">holder</th>
                <th scope="col">state</th>
                <th scope="col">until</th>
                <th scope="col">revoke</th>
              </tr>
            </thead>
            <tbody>
              {leases.map((lease) => {
                const worker = numberOf(lease.worker);
                const state = textOf(lease.state);
                const left = numberOf(lease.leftMs);
                return (
                  <tr key={worker}>
                    <th scope="row">{worker}</th>
                    <td>{textOf(lease.holder)}</td>
                    <td>
                      <b class={state === "held" ? "good" : ""}>{state}</b>
                    </td>
                    <td>
                      {new Date(numberOf(lease.notAfter)).toISOString()}
                      {left > 0 ? `, in ${duration(left)}` : ""}
                    </td>
                    <td>
                      {state === "held" ? (
                        <Confirm
                          label="Revoke"
                          question="Take the lease back?"
                          what={`the lease of worker ID ${worker}`}
                          onConfirm={() => revoke(worker)}
                        />
                      ) : (
                        "–"
                      )}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      <p>
        A lease that is taken back is not renewed any more; its worker ID rests until the lease’s
        end, since the holder may stamp until then.
      </p>
    </>
  );
}
