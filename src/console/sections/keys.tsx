/** API keys: who has one, new ones, and their end. */
import { useState } from "hono/jsx/dom";
import { ask, type Json, objectsOf, textOf } from "../api.ts";
import { useAction } from "../parts/action.ts";
import { Confirm } from "../parts/confirm.tsx";
import { NewKey } from "../parts/new-key.tsx";
import { Pager } from "../parts/pager.tsx";
import { Problem } from "../parts/problem.tsx";
import { Said } from "../parts/said.tsx";
import { Wide } from "../parts/wide.tsx";
import { usePolled } from "../polled.ts";

const EVERY_MS = 10_000;

export function Keys() {
  const [page, setPage] = useState("");
  const [turn, setTurn] = useState(0);
  const [said, setSaid] = useState("");
  const revoking = useAction();
  const cursor = page === "" ? "" : `?cursor=${page}`;
  const { answer, error } = usePolled(`/v1/keys${cursor}`, EVERY_MS, turn);
  const again = (): void => setTurn((before) => before + 1);
  const revoke = (id: string): void =>
    revoking.act(async () => {
      setSaid("");
      await ask(`/v1/keys/${encodeURIComponent(id)}`, { method: "DELETE" });
      setSaid(`The key ${id} is revoked.`);
      again();
    });
  return (
    <>
      <Problem error={error} scope="admin" />
      <Problem error={revoking.error} scope="admin" />
      <Said words={said} />
      {answer && <KeyTable keys={objectsOf(answer.keys)} onRevoke={revoke} />}
      <Pager at={page} next={textOf(answer?.cursor)} onGo={setPage} />
      {answer && <NewKey onMade={again} />}
    </>
  );
}

function KeyTable(props: { keys: readonly Json[]; onRevoke: (id: string) => void }) {
  const { keys, onRevoke } = props;
  if (keys.length === 0) return <p>No key is listed here but the administrator’s own.</p>;
  return (
    <Wide label="Keys">
      <thead>
        <tr>
          {HEADINGS.map((heading) => (
            <th scope="col" key={heading}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <KeyRow key={textOf(key.id)} of={key} onRevoke={onRevoke} />
        ))}
      </tbody>
    </Wide>
  );
}

const HEADINGS = ["id", "name", "scopes", "namespaces", "made", "until", "revoke"];

function KeyRow({ of, onRevoke }: { of: Json; onRevoke: (id: string) => void }) {
  const id = textOf(of.id);
  const until = textOf(of.expiresAt, "no end");
  // A time that cannot be read is past nothing.
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
        {isOver && <b class="warning"> past</b>}
      </td>
      <td>
        <Confirm
          label="Revoke"
          question="It ends for good, everywhere within 30 s. Revoke?"
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
