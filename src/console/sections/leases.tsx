/** The section Leases: worker IDs leased to minters. */
import { useState } from "preact/hooks";
import { DATE_MS_MAX } from "../../core/limits.ts";
import {
  ask,
  isListOf,
  isNothing,
  isNumber,
  type Json,
  numberOf,
  objectsOf,
  problemOf,
  textOf,
} from "../api.ts";
import { useQueue } from "../parts/action.ts";
import { Confirm } from "../parts/confirm.tsx";
import {
  NAMESPACE_PROBLEM_ID,
  NamespaceField,
  nameProblem,
  useSettledName,
} from "../parts/namespace-field.tsx";
import { cursorQuery, Pager } from "../parts/pager.tsx";
import { PollFailure } from "../parts/poll-failure.tsx";
import { Problem } from "../parts/problem.tsx";
import { ReleaseForm } from "../parts/release-form.tsx";
import { StatusLine } from "../parts/status-line.tsx";
import { WideTable } from "../parts/wide-table.tsx";
import { usePolled } from "../polled.ts";
import { addressOf, type Route, replaceAddress } from "../route.ts";
import { duration } from "../shard-state.ts";

const EVERY_MS = 5000;

export function Leases({ route }: { route: Route }) {
  const [name, setName] = useState(route.parts[0] ?? "default");
  const [page, setPage] = useState("");
  const [turn, setTurn] = useState(0);
  const [said, setSaid] = useState("");
  const revoking = useQueue();
  const problem = nameProblem(name);
  const asked = useSettledName(name);
  const path = asked === "" ? "" : `/v1/leases/${asked}`;
  const polled = usePolled(path === "" ? "" : `${path}${cursorQuery(page)}`, EVERY_MS, {
    turn,
    isAnswer: isLeasePage,
  });
  const { answer } = polled;
  const show = (next: string): void => {
    setName(next);
    setPage("");
    setSaid("");
    replaceAddress(addressOf("leases", [next]));
  };
  const again = (): void => setTurn((before) => before + 1);
  const released = (words: string): void => {
    setSaid(words);
    again();
  };
  const revoke = (worker: number): void =>
    revoking.act(async () => {
      setSaid("");
      const one = `${path}/${worker}?revoke=true`;
      try {
        await ask(one, { method: "DELETE", isAnswer: isNothing });
        setSaid(`The lease of worker ID ${worker} is revoked.`);
      } catch (cause) {
        throw problemOf(`Worker ID ${worker}`, cause);
      } finally {
        // Also without a response: the list shows whether it was done.
        again();
      }
    });
  return (
    <>
      <form class="row" onSubmit={(event: Event) => event.preventDefault()}>
        <NamespaceField value={name} isWrong={problem !== undefined} onValue={show} />
      </form>
      <Problem id={NAMESPACE_PROBLEM_ID} error={problem} />
      <PollFailure polled={polled} scope="lease" />
      <Problem error={revoking.error} scope="admin" doubt={REVOKE_DOUBT} />
      <StatusLine words={said} />
      {answer && <LeaseTable leases={objectsOf(answer.leases)} onRevoke={revoke} />}
      <Pager key={asked} at={page} next={textOf(answer?.cursor)} onGo={setPage} />
      <p>
        Revoking needs the scope admin. A revoked lease can’t be renewed; its worker ID rests until
        the end of the lease, because the holder may make IDs until then.
      </p>
      {answer && path !== "" && <ReleaseForm key={path} path={path} onReleased={released} />}
    </>
  );
}

const REVOKE_DOUBT = "It may have been revoked: check the list when the service responds again.";

export function isLeasePage({ leases }: Json): boolean {
  return isListOf(leases, ({ worker, state, notAfter }) => {
    const isTime = isNumber(notAfter) && Math.abs(notAfter) <= DATE_MS_MAX;
    return isNumber(worker) && textOf(state) !== "" && isTime;
  });
}

export function LeaseTable(props: { leases: readonly Json[]; onRevoke: (worker: number) => void }) {
  const { leases, onRevoke } = props;
  if (leases.length === 0) return <p>No worker IDs leased here yet.</p>;
  return (
    <WideTable label="Leases" headings={HEADINGS}>
      {leases.map((lease) => (
        <LeaseRow key={numberOf(lease.worker)} lease={lease} onRevoke={onRevoke} />
      ))}
    </WideTable>
  );
}

const HEADINGS = ["worker ID", "holder", "state", "until", "revoke"];

function LeaseRow({ lease, onRevoke }: { lease: Json; onRevoke: (worker: number) => void }) {
  const worker = numberOf(lease.worker);
  const state = textOf(lease.state);
  // Only administrators get it.
  const owner = textOf(lease.owner);
  const [leftMs, restedMs] = [numberOf(lease.leftMs), numberOf(lease.restedMs)];
  return (
    <tr>
      <th scope="row">{worker}</th>
      <td>
        {textOf(lease.holder)}
        {owner === "" ? "" : <small> key {owner}</small>}
      </td>
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
            question="The holder won’t be able to renew it. Revoke?"
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
