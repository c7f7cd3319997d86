/** The section Overview: what Edgeflake is, a live ID, the namespaces, and what needs attention. */
import { useLayoutEffect, useState } from "preact/hooks";
import { decodedId } from "../../core/layout/decoded.ts";
import { ask, isListOf, type Json, objectsOf, textOf } from "../api.ts";
import { linesOf } from "../code-lines.ts";
import { figure } from "../figure.ts";
import { type Attention, byLevel, healthOf } from "../namespace-health.ts";
import { builtIn } from "../namespaces.ts";
import { useAction } from "../parts/action.ts";
import { Bits } from "../parts/bits.tsx";
import { Code } from "../parts/code.tsx";
import { Copy } from "../parts/copy.tsx";
import { PollFailure } from "../parts/poll-failure.tsx";
import { Problem } from "../parts/problem.tsx";
import { Time } from "../parts/time.tsx";
import { usePolled } from "../polled.ts";
import { addressOf } from "../route.ts";
import { savedKey, useSavedKey } from "../session.ts";
import { duration, isShardPage } from "../shard-state.ts";
import { idsIn } from "./request.tsx";

const NAMESPACE = "default";
const NAMESPACES_EVERY_MS = 30_000;
/** Asking a shard wakes it, so the Overview asks seldom, but for the second look, which gives the first rate. */
const STATUS_EVERY_MS = 10_000;
const SECOND_LOOK_MS = 2000;
/** Most namespaces whose shards are asked. */
const WATCHED_MAX = 8;

export function Overview() {
  return (
    <>
      <p class="lead">
        Edgeflake issues unique 64-bit IDs in rough order of time. Each ID tells when it was issued
        and by which shard; no ID is issued twice, even after a restart or a clock that went back.
      </p>
      <LiveId />
      <h2>Three lines in your app</h2>
      <Lines />
      <Namespaces />
    </>
  );
}

/** An ID that was just issued, in its parts. */
function LiveId() {
  const key = useSavedKey();
  const [id, setId] = useState("");
  const { isBusy, error, act } = useAction();
  const request = (): void =>
    act(async () => {
      const isAnswer = (answer: Json): boolean => idsIn(answer).length === 1;
      const [issued = ""] = idsIn(await ask(`/v1/ids/${NAMESPACE}`, { method: "POST", isAnswer }));
      setId(issued);
    });
  useLayoutEffect(request, [key]);
  return (
    <section class="live" aria-label="A live ID">
      <p class="id" role="status">
        {id === "" ? "…" : <a href={addressOf("decode", [NAMESPACE, id])}>{id}</a>}
      </p>
      <p class="buttons">
        <button type="button" aria-busy={isBusy ? "true" : "false"} onClick={request}>
          Request another
        </button>
        {id !== "" && <Copy text={id} what="the ID" />}
      </p>
      <Problem error={error} scope="issue" />
      {id !== "" && <Parts id={BigInt(id)} />}
    </section>
  );
}

function Parts({ id }: { id: bigint }) {
  const layout = builtIn(NAMESPACE)?.layout;
  const decoded = layout && decodedId(layout, id);
  if (!layout || !decoded) return null;
  return (
    <>
      <Bits layout={layout} id={id} />
      <p>
        Shard {decoded.shard} issued it at <Time unixMs={decoded.unixMs} />
      </p>
    </>
  );
}

function Lines() {
  const input = { name: NAMESPACE, count: "1", encoding: "decimal", key: "" };
  const [, client] = linesOf(input, location.origin, savedKey() !== "");
  const text = client?.[1] ?? "";
  return (
    <>
      <Code label="Three lines of code" text={text} />
      <p>
        <Copy text={text} what="the code" />{" "}
        <a href={addressOf("request", [NAMESPACE])}>curl, RPC and more</a>
      </p>
    </>
  );
}

function isNamespaceList({ namespaces }: Json): boolean {
  return isListOf(namespaces, ({ name }) => textOf(name) !== "");
}

/** The namespaces of this service, and what needs attention in them. */
function Namespaces() {
  const listed = usePolled("/v1/namespaces?limit=100", NAMESPACES_EVERY_MS, {
    isAnswer: isNamespaceList,
  });
  const [attention, setAttention] = useState<Readonly<Record<string, readonly Attention[]>>>({});
  const all = objectsOf(listed.answer?.namespaces).filter(isOfInterest);
  const watched = all.slice(0, WATCHED_MAX);
  const note = (name: string, items: readonly Attention[]): void =>
    setAttention((before) => ({ ...before, [name]: items }));
  return (
    <>
      <h2>Needs attention</h2>
      <AttentionList items={Object.values(attention).flat().toSorted(byLevel)} />
      <h2>Namespaces</h2>
      <PollFailure polled={listed} scope="read" />
      {watched.length > 0 && (
        <table class="cards" aria-label="Namespaces">
          <thead>
            <tr>
              {["name", "kind", "IDs/s", "lead", "health"].map((heading) => (
                <th scope="col" key={heading}>
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {watched.map((definition) => (
              <NamespaceRow key={textOf(definition.name)} definition={definition} onHealth={note} />
            ))}
          </tbody>
        </table>
      )}
      <p>
        <a href={addressOf("namespaces")}>All namespaces</a> ·{" "}
        <a href={addressOf("design")}>Create a namespace</a>
      </p>
    </>
  );
}

/** Built-in namespaces but the usual one, and retired ones, would hide those in use. */
function isOfInterest({ name, builtIn, retired }: Json): boolean {
  return retired !== true && (builtIn !== true || name === NAMESPACE);
}

function AttentionList({ items }: { items: readonly Attention[] }) {
  if (items.length === 0) return <p class="good">Nothing.</p>;
  return (
    <ul class="attention">
      {items.map(({ level, subject, problem, advice, address }) => (
        <li key={`${subject} ${problem}`}>
          <a href={address}>{subject}</a>: <b class={level}>{problem}</b>. {advice}
        </li>
      ))}
    </ul>
  );
}

interface Look {
  readonly atMs: number;
  readonly issued: number;
}

function NamespaceRow(props: {
  definition: Json;
  onHealth: (name: string, attention: readonly Attention[]) => void;
}) {
  const { definition, onHealth } = props;
  const name = textOf(definition.name);
  const [looks, setLooks] = useState<readonly Look[]>([]);
  const everyMs = looks.length < 2 ? SECOND_LOOK_MS : STATUS_EVERY_MS;
  const { answer, atMs, error } = usePolled(`/v1/shards/${name}`, everyMs, {
    isAnswer: isShardPage,
  });
  const health = answer && healthOf(definition, answer, Date.now());
  useLayoutEffect(() => {
    if (!health) return;
    onHealth(name, health.attention);
    setLooks((before) => [...before.slice(-1), { atMs, issued: health.issued }]);
  }, [answer]);
  const rate = rateOf(looks);
  return (
    <tr>
      <th scope="row">
        <a href={addressOf("namespaces", [name])}>{name}</a>
      </th>
      <td data-label="kind">{textOf(definition.kind)}</td>
      <td data-label="IDs/s">{rate === undefined ? "…" : figure(rate)}</td>
      <td data-label="lead">{health?.leadMs === undefined ? "–" : duration(health.leadMs)}</td>
      <td data-label="health">
        {health && (
          <a href={addressOf("shards", [name])} class={health.level}>
            {health.summary}
          </a>
        )}
        {!health && (error === undefined ? "…" : <span class="bad">unknown</span>)}
      </td>
    </tr>
  );
}

/** IDs per second between the last two looks; undefined after the first. */
function rateOf([first, last]: readonly Look[]): number | undefined {
  if (!first || !last) return undefined;
  return Math.max(0, last.issued - first.issued) / Math.max(1, (last.atMs - first.atMs) / 1000);
}
