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
import { Table } from "../parts/table.tsx";
import { type Polled, usePolled } from "../polled.ts";
import { relativeTime } from "../relative-time.ts";
import { useSavedKey } from "../session.ts";

const EVERY_MS = 10_000;

export function Keys() {
  const [page, setPage] = useState("");
  const [turn, setTurn] = useState(0);
  const [message, setMessage] = useState("");
  const revoking = useQueue();
  const polled = usePolled(`/v1/keys${cursorQuery(page)}`, EVERY_MS, {
    turn,
    isAnswer: isKeyPage,
  });
  const { answer } = polled;
  const mayCreate = useMayCreate(polled);
  const lookAgain = (): void => setTurn((before) => before + 1);
  const revoke = (id: string): void =>
    revoking.act(async () => {
      setMessage("");
      const one = `/v1/keys/${encodeURIComponent(id.toWellFormed())}`;
      try {
        await ask(one, { method: "DELETE", isAnswer: isNothing });
        setMessage(`The key ${id} is revoked.`);
      } catch (cause) {
        throw problemOf(`The key ${id}`, cause);
      } finally {
        // Also without a response: the list shows whether it was done.
        lookAgain();
      }
    });
  return (
    <>
      <PollFailure polled={polled} scope="admin" />
      <Problem error={revoking.error} scope="admin" doubt={REVOKE_DOUBT} />
      <StatusLine words={message} />
      {answer && <KeyTable keys={objectsOf(answer.keys)} onRevoke={revoke} />}
      <Pager at={page} next={textOf(answer?.cursor)} onGo={setPage} />
      {mayCreate && <NewKey onMade={lookAgain} />}
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
function useMayCreate({ answer, error }: Polled): boolean {
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
    <Table
      label="Keys"
      headings={HEADINGS}
      rows={keys.map((key) => ({ id: textOf(key.id), cells: cellsOf(key, onRevoke) }))}
    />
  );
}

const HEADINGS = ["name", "scopes", "namespaces", "created", "expires", "id", "action"];

function cellsOf(key: Json, onRevoke: (id: string) => void) {
  const id = textOf(key.id);
  return [
    textOf(key.name) || "unnamed",
    listOf(key.scopes),
    listOf(key.namespaces) || "all",
    <span class="whole">{textOf(key.createdAt).slice(0, 10)}</span>,
    <Expiry expiresAt={textOf(key.expiresAt)} />,
    <code>{id}</code>,
    <Confirm
      label="Revoke"
      question="Revoking is permanent and takes up to 30 s. Revoke?"
      what={`the key ${id}`}
      onConfirm={() => onRevoke(id)}
    />,
  ];
}

/** A key that ends within this time should be replaced, in ms. */
const ENDING_SOON_MS = 7 * 86_400_000;

function Expiry({ expiresAt }: { expiresAt: string }) {
  if (expiresAt === "") return "never";
  const unixMs = Date.parse(expiresAt);
  const leftMs = unixMs - Date.now();
  if (Number.isNaN(unixMs)) return expiresAt;
  const level = leftMs <= 0 ? "bad" : leftMs < ENDING_SOON_MS ? "warning" : "idle";
  return (
    <>
      <b class={level}>
        {leftMs <= 0 ? "expired " : ""}
        {relativeTime(unixMs, Date.now())}
      </b>{" "}
      <br />
      <small class="whole">{expiresAt}</small>
    </>
  );
}

function listOf(value: unknown): string {
  return Array.isArray(value) ? value.map((one) => textOf(one)).join(", ") : "";
}
