/** The section Keys: lists, creates and revokes API keys. */
import { useLayoutEffect, useState } from "preact/hooks";
import {
  ApiError,
  ask,
  isListOf,
  isNothing,
  type Json,
  objectsOf,
  problemOf,
  textOf,
} from "../api.ts";
import { useQueue } from "../parts/action.ts";
import { Confirm } from "../parts/confirm.tsx";
import { NewKey } from "../parts/new-key.tsx";
import { cursorQuery, Pager } from "../parts/pager.tsx";
import { PollFailure } from "../parts/poll-failure.tsx";
import { Problem } from "../parts/problem.tsx";
import { StatusLine } from "../parts/status-line.tsx";
import { WideTable } from "../parts/wide-table.tsx";
import { type Polled, usePolled } from "../polled.ts";
import { useSavedKey } from "../session.ts";

const EVERY_MS = 10_000;

export function Keys() {
  const [page, setPage] = useState("");
  const [turn, setTurn] = useState(0);
  const [said, setSaid] = useState("");
  const revoking = useQueue();
  const polled = usePolled(`/v1/keys${cursorQuery(page)}`, EVERY_MS, {
    turn,
    isAnswer: isKeyPage,
  });
  const { answer } = polled;
  const mayMake = useMayMake(polled);
  const again = (): void => setTurn((before) => before + 1);
  const revoke = (id: string): void =>
    revoking.act(async () => {
      setSaid("");
      const one = `/v1/keys/${encodeURIComponent(id.toWellFormed())}`;
      try {
        await ask(one, { method: "DELETE", isAnswer: isNothing });
        setSaid(`The key ${id} is revoked.`);
      } catch (cause) {
        throw problemOf(`The key ${id}`, cause);
      } finally {
        // Also without a response: the list shows whether it was done.
        again();
      }
    });
  return (
    <>
      <PollFailure polled={polled} scope="admin" />
      <Problem error={revoking.error} scope="admin" doubt={REVOKE_DOUBT} />
      <StatusLine words={said} />
      {answer && <KeyTable keys={objectsOf(answer.keys)} onRevoke={revoke} />}
      <Pager at={page} next={textOf(answer?.cursor)} onGo={setPage} />
      {mayMake && <NewKey onMade={again} />}
    </>
  );
}

const REVOKE_DOUBT = "It may have been revoked: check the list when the service responds again.";

export function isKeyPage({ keys }: Json): boolean {
  return isListOf(keys, ({ id, scopes }) => textOf(id) !== "" && Array.isArray(scopes));
}

/**
 * Whether the key of this tab can create keys: from its first list of keys, until it is rejected. A created key is shown
 * once, and must stay while another page of the list loads.
 */
function useMayMake({ answer, error }: Polled): boolean {
  const key = useSavedKey();
  const [shownTo, setShownTo] = useState<string | undefined>(undefined);
  useLayoutEffect(() => {
    if (answer) setShownTo(key);
    else if (error instanceof ApiError && [401, 403].includes(error.status)) {
      setShownTo(undefined);
    }
  }, [answer, error, key]);
  return shownTo === key;
}

export function KeyTable(props: { keys: readonly Json[]; onRevoke: (id: string) => void }) {
  const { keys, onRevoke } = props;
  if (keys.length === 0) return <p>No API keys here, except the administrator’s own.</p>;
  return (
    <WideTable label="Keys" headings={HEADINGS}>
      {keys.map((key) => (
        <KeyRow key={textOf(key.id)} of={key} onRevoke={onRevoke} />
      ))}
    </WideTable>
  );
}

const HEADINGS = ["id", "name", "scopes", "namespaces", "created", "expires", "revoke"];

function KeyRow({ of, onRevoke }: { of: Json; onRevoke: (id: string) => void }) {
  const id = textOf(of.id);
  const until = textOf(of.expiresAt, "never");
  // An unreadable time compares as not expired.
  const isOver = Date.parse(until) <= Date.now();
  return (
    <tr>
      <th scope="row">
        <code>{id}</code>
      </th>
      <td>{textOf(of.name)}</td>
      <td>{listOf(of.scopes)}</td>
      <td>{listOf(of.namespaces) || "all"}</td>
      <td class="whole">{textOf(of.createdAt).slice(0, 10)}</td>
      <td class="whole">
        {until}
        {isOver && <b class="warning"> expired</b>}
      </td>
      <td>
        <Confirm
          label="Revoke"
          question="Revoking is permanent and takes up to 30 s. Revoke?"
          what={`the key ${id}`}
          onConfirm={() => onRevoke(id)}
        />
      </td>
    </tr>
  );
}

function listOf(value: unknown): string {
  return Array.isArray(value) ? value.map((one) => textOf(one)).join(", ") : "";
}
