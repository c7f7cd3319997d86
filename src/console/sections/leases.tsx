/** Worker IDs on lease to processes that mint themselves. */
import { useState } from "hono/jsx/dom";
import { ask, type Json, numberOf, objectsOf, textOf } from "../api.ts";
import { useAction } from "../parts/action.ts";
import { Confirm } from "../parts/confirm.tsx";
import {
  NAMESPACE_PROBLEM_ID,
  NamespaceField,
  nameProblem,
  useSettledName,
} from "../parts/namespace-field.tsx";
import { Pager } from "../parts/pager.tsx";
import { Problem } from "../parts/problem.tsx";
import { ReleaseForm } from "../parts/release-form.tsx";
import { Said } from "../parts/said.tsx";
import { Wide } from "../parts/wide.tsx";
import { usePolled } from "../polled.ts";
import { addressOf, type Route, replaceAddress } from "../route.ts";
import { duration } from "../shard-state.ts";

const EVERY_MS = 5000;

export function Leases({ route }: { route: Route }) {
  const [name, setName] = useState(route.parts[0] ?? "default");
  const [page, setPage] = useState("");
  const [turn, setTurn] = useState(0);
  const [said, setSaid] = useState("");
  const revoking = useAction();
  const problem = nameProblem(name);
  const asked = useSettledName(name);
  const path = asked === "" ? "" : `/v1/leases/${asked}`;
  const cursor = page === "" ? "" : `?cursor=${page}`;
  const { answer, error } = usePolled(path === "" ? "" : `${path}${cursor}`, EVERY_MS, turn);
  const show = (next: string): void => {
    setName(next);
    setPage("");
    setSaid("");
    replaceAddress(addressOf("leases", [next]));
  };
  const ended = (words: string): void => {
    setSaid(words);
    setTurn((before) => before + 1);
  };
  const revoke = (worker: number): void =>
    revoking.act(async () => {
      setSaid("");
      await ask(`${path}/${worker}?revoke=true`, { method: "DELETE" });
      ended(`The lease of worker ID ${worker} is revoked.`);
    });
  return (
    <>
      <form class="row" onSubmit={(event: Event) => event.preventDefault()}>
        <NamespaceField value={name} isWrong={problem !== undefined} onValue={show} />
      </form>
      <Problem id={NAMESPACE_PROBLEM_ID} error={problem ?? error} scope="lease" />
      <Problem error={revoking.error} scope="admin" />
      <Said words={said} />
      {answer && <LeaseTable leases={objectsOf(answer.leases)} onRevoke={revoke} />}
      <Pager key={asked} at={page} next={textOf(answer?.cursor)} onGo={setPage} />
      <p>
        To revoke takes the scope admin. A lease that was revoked is not renewed any more; its
        worker ID rests until the lease’s end, since the holder may stamp until then.
      </p>
      {answer && path !== "" && <ReleaseForm key={path} path={path} onReleased={ended} />}
    </>
  );
}

function LeaseTable(props: { leases: readonly Json[]; onRevoke: (worker: number) => void }) {
  const { leases, onRevoke } = props;
  if (leases.length === 0) return <p>No worker ID is listed here: none of them was leased yet.</p>;
  return (
    <Wide label="Leases">
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
        {leases.map((lease) => (
          <LeaseRow key={numberOf(lease.worker)} lease={lease} onRevoke={onRevoke} />
        ))}
      </tbody>
    </Wide>
  );
}

function LeaseRow({ lease, onRevoke }: { lease: Json; onRevoke: (worker: number) => void }) {
  const worker = numberOf(lease.worker);
  const state = textOf(lease.state);
  const [leftMs, restedMs] = [numberOf(lease.leftMs), numberOf(lease.restedMs)];
  return (
    <tr>
      <th scope="row">{worker}</th>
      <td>{textOf(lease.holder)}</td>
      <td>
        <b class={state === "held" ? "good" : ""}>{state}</b>
        {state === "released" && leftMs > 0 ? <small> its worker ID rests</small> : ""}
      </td>
      <td>
        <span class="whole">{new Date(numberOf(lease.notAfter)).toISOString()}</span>{" "}
        <small class="whole">
          {leftMs > 0 ? `in ${duration(leftMs)}` : `${duration(restedMs)} ago`}
        </small>
      </td>
      <td>
        {state === "held" ? (
          <Confirm
            label="Revoke"
            question="Its holder can’t renew it any more. Revoke?"
            what={`the lease of worker ID ${worker}`}
            onConfirm={() => onRevoke(worker)}
          />
        ) : (
          "–"
        )}
      </td>
    </tr>
  );
}
