/** The section Leases: worker IDs leased to minters. */
import { useState } from "preact/hooks";
import { ANYBODY } from "../../core/api-key.ts";
import { ask, isNothing, problemOf, textOf } from "../api.ts";
import {
  freeWorkers,
  isLeasePage,
  type LeaseFacts,
  leaseState,
  leasesIn,
  timeLeft,
} from "../lease-state.ts";
import { useQueue } from "../parts/action.ts";
import { Confirm } from "../parts/confirm.tsx";
import {
  NAMESPACE_PROBLEM_ID,
  NamespaceField,
  nameProblem,
  useNamespace,
  useSettledName,
} from "../parts/namespace-field.tsx";
import { cursorQuery, Pager } from "../parts/pager.tsx";
import { PollFailure } from "../parts/poll-failure.tsx";
import { Problem } from "../parts/problem.tsx";
import { ReleaseForm } from "../parts/release-form.tsx";
import { StatusLine } from "../parts/status-line.tsx";
import { NONE, Table } from "../parts/table.tsx";
import { usePolled } from "../polled.ts";
import { addressOf, type Route, replaceAddress } from "../route.ts";
import { State } from "../shards/state.tsx";

const EVERY_MS = 5000;

export function Leases({ route }: { route: Route }) {
  const [name, setName] = useState(route.parts[0] ?? "default");
  const [page, setPage] = useState("");
  const [turn, setTurn] = useState(0);
  const [message, setMessage] = useState("");
  const revoking = useQueue();
  const problem = nameProblem(name);
  const settled = useSettledName(name);
  const path = settled === "" ? "" : `/v1/leases/${settled}`;
  const polled = usePolled(path === "" ? "" : `${path}${cursorQuery(page)}`, EVERY_MS, {
    turn,
    isAnswer: isLeasePage,
  });
  const { answer } = polled;
  const show = (next: string): void => {
    setName(next);
    setPage("");
    setMessage("");
    replaceAddress(addressOf("leases", [next]));
  };
  const lookAgain = (): void => setTurn((before) => before + 1);
  const released = (words: string): void => {
    setMessage(words);
    lookAgain();
  };
  const revoke = (worker: number): void =>
    revoking.act(async () => {
      setMessage("");
      const one = `${path}/${worker}?revoke=true`;
      try {
        await ask(one, { method: "DELETE", isAnswer: isNothing });
        setMessage(`The lease of worker ID ${worker} is revoked.`);
      } catch (cause) {
        throw problemOf(`Worker ID ${worker}`, cause);
      } finally {
        // Also without a response: the list shows whether it was done.
        lookAgain();
      }
    });
  const next = textOf(answer?.cursor);
  return (
    <>
      <form class="row" onSubmit={(event: Event) => event.preventDefault()}>
        <NamespaceField value={name} isWrong={problem !== undefined} onValue={show} />
      </form>
      <Problem id={NAMESPACE_PROBLEM_ID} error={problem} />
      <PollFailure polled={polled} scope="lease" />
      <Problem error={revoking.error} scope="admin" doubt={REVOKE_DOUBT} />
      <StatusLine words={message} />
      {answer && (
        <FreeWorkers
          name={settled}
          leases={leasesIn(answer)}
          isWhole={page === "" && next === ""}
        />
      )}
      {answer && <LeaseTable leases={leasesIn(answer)} onRevoke={revoke} />}
      <Pager key={settled} at={page} next={next} onGo={setPage} />
      <p>
        Revoking needs the scope admin. A revoked lease can’t be renewed; its worker ID rests until
        the end of the lease, because the holder may make IDs until then.
      </p>
      {answer && path !== "" && <ReleaseForm key={path} path={path} onReleased={released} />}
    </>
  );
}

function FreeWorkers(props: { name: string; leases: readonly LeaseFacts[]; isWhole: boolean }) {
  const { name, leases, isWhole } = props;
  const { found } = useNamespace(name);
  return found?.layout && <p>{freeWorkers(leases, isWhole, found.layout)}</p>;
}

const REVOKE_DOUBT = "It may have been revoked: check the list when the service responds again.";

export function LeaseTable(props: {
  leases: readonly LeaseFacts[];
  onRevoke: (worker: number) => void;
}) {
  const { leases, onRevoke } = props;
  if (leases.length === 0) return <p>No worker IDs leased here yet.</p>;
  return (
    <Table
      label="Leases"
      headings={HEADINGS}
      rows={leases.map((lease) => ({ id: lease.worker, cells: cellsOf(lease, onRevoke) }))}
    />
  );
}

const HEADINGS = ["worker ID", "state", "time left", "holder", "action"];

function cellsOf(lease: LeaseFacts, onRevoke: (worker: number) => void) {
  const { worker, holder, owner, isHeld, notAfterMs } = lease;
  return [
    worker,
    <State state={leaseState(lease)} />,
    <>
      {timeLeft(lease)}
      <br />
      <small class="whole">{new Date(notAfterMs).toISOString()}</small>
    </>,
    <>
      {holder} {isKey(owner) && <small class="whole">API key {owner}</small>}
    </>,
    isHeld ? (
      <Confirm
        label="Revoke"
        question="The holder won’t be able to renew it. Revoke?"
        what={`the lease of worker ID ${worker}`}
        onConfirm={() => onRevoke(worker)}
      />
    ) : (
      NONE
    ),
  ];
}

/** Where access is open, leases count for no key. */
function isKey(owner: string): boolean {
  return owner !== "" && owner !== ANYBODY.id;
}
