/** The shards of a namespace as they are now. */
import { useEffect, useState } from "hono/jsx/dom";
import { type Json, numberOf, objectIn, objectsOf, textOf } from "../api.ts";
import { NamespaceField } from "../parts/namespace-field.tsx";
import { Problem } from "../parts/problem.tsx";
import { Sparkline } from "../parts/sparkline.tsx";
import { type Polled, usePolled } from "../polled.ts";
import { addressOf, type Route, replaceAddress } from "../route.ts";
import { type ShardFacts, shardFacts, shardState } from "../shard-state.ts";

const EVERY_MS = 2000;
/** Rates that are remembered of a shard: two minutes. */
const RATES_KEPT = 60;

/** What a shard did between two looks. */
interface Seen {
  readonly facts: ShardFacts;
  readonly atMs: number;
  /** IDs per second, the latest last. */
  readonly rates: readonly number[];
  readonly writesPerMillion: number | undefined;
  readonly recent: Readonly<Record<string, number>>;
}

export function Shards({ route }: { route: Route }) {
  const [name, setName] = useState(route.parts[0] ?? "default");
  const encoded = encodeURIComponent(name);
  const status = usePolled(name === "" ? "" : `/v1/shards/${encoded}?limit=32`, EVERY_MS);
  const definition = usePolled(name === "" ? "" : `/v1/namespaces/${encoded}`, 15 * EVERY_MS);
  const show = (next: string): void => {
    setName(next.trim());
    replaceAddress(addressOf("shards", [next.trim()]));
  };
  const isSegment = definition.answer?.kind === "segment";
  const policy = objectIn(definition.answer?.policy);
  return (
    <>
      <form class="row" onSubmit={(event: Event) => event.preventDefault()}>
        <NamespaceField value={name} onValue={show} />
      </form>
      <Away polled={status} />
      {status.answer &&
        (isSegment ? (
          <Segment answer={status.answer} />
        ) : (
          <ShardTable key={name} polled={status} policy={policy} />
        ))}
      {textOf(status.answer?.cursor) !== "" && <p>The first 32 shards are shown.</p>}
    </>
  );
}

/** Why nothing new comes, and that it is asked for again. */
function Away({ polled: { error, answer } }: { polled: Polled }) {
  if (error === undefined) return null;
  return (
    <>
      <Problem error={error} scope="read" />
      {answer && <p>What is shown was so when it answered last; it is asked again.</p>}
    </>
  );
}

function ShardTable({ polled, policy }: { polled: Polled; policy: Json }) {
  const [seen, setSeen] = useState<ReadonlyMap<number, Seen>>(new Map());
  useEffect(() => {
    const facts = objectsOf(polled.answer?.shards).map(shardFacts);
    setSeen((before) => {
      const pairs = facts.map((one) => [one.shard, look(before.get(one.shard), one, polled.atMs)]);
      return new Map(pairs as [number, Seen][]);
    });
  }, [polled.answer]);
  const bounds = {
    maxBorrowMs: numberOf(policy.maxBorrowMs),
    maxStepBackMs: numberOf(policy.maxStepBackMs),
  };
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">shard</th>
            <th scope="col">state</th>
            <th scope="col">IDs/s</th>
            <th scope="col">lead</th>
            <th scope="col">writes per million IDs</th>
            <th scope="col">refused</th>
            <th scope="col">issued</th>
          </tr>
        </thead>
        <tbody>
          {[...seen.values()].map((one) => (
            <ShardRow key={one.facts.shard} seen={one} bounds={bounds} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ShardRow(props: { seen: Seen; bounds: Parameters<typeof shardState>[2] }) {
  const { facts, rates, writesPerMillion, recent } = props.seen;
  const { level, words, advice } = shardState(facts, recent, props.bounds);
  const rate = rates.at(-1) ?? 0;
  const refused = Object.entries(facts.refusals);
  return (
    <tr>
      <th scope="row">
        {facts.shard} <small>{facts.region}</small>
      </th>
      <td>
        <b class={level}>{words}</b>
        {advice !== "" && <small> {advice}</small>}
      </td>
      <td>
        {figure(rate)}{" "}
        <Sparkline
          values={rates}
          label={`IDs per second of shard ${facts.shard}: ${figure(rate)} now`}
        />
      </td>
      <td>{figure(facts.leadMs)} ms</td>
      <td>{writesPerMillion === undefined ? "–" : figure(writesPerMillion)}</td>
      <td>{refused.map(([code, times]) => `${code} ${figure(times)}`).join(", ") || "–"}</td>
      <td>{figure(facts.issued)}</td>
    </tr>
  );
}

function Segment({ answer }: { answer: Json }) {
  const [status = {}] = objectsOf(answer.shards);
  const counters = objectIn(status.counters);
  const rows = [
    ["next number", textOf(status.max_id)],
    ["largest number", textOf(status.max)],
    ["step", `${numberOf(status.step)}`],
    ["given out", figure(numberOf(counters.issued))],
    ["segments fetched", figure(numberOf(counters.fetches))],
    ["last change", textOf(status.update_time, "never")],
  ];
  return (
    <table>
      <caption>Segment</caption>
      <tbody>
        {rows.map(([what, value]) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function look(before: Seen | undefined, facts: ShardFacts, atMs: number): Seen {
  // An object that was started anew may count from before: no rate is negative.
  const issued = Math.max(0, facts.issued - (before?.facts.issued ?? facts.issued));
  const writes = Math.max(0, facts.writes - (before?.facts.writes ?? facts.writes));
  const seconds = before ? (atMs - before.atMs) / 1000 : 0;
  const rate = seconds > 0 ? issued / seconds : 0;
  const recent = Object.entries(facts.refusals).map(([code, times]) => {
    return [code, Math.max(0, times - (before?.facts.refusals[code] ?? times))];
  });
  return {
    facts,
    atMs,
    rates: [...(before?.rates ?? []), rate].slice(-RATES_KEPT),
    writesPerMillion: issued > 0 ? (writes * 1e6) / issued : undefined,
    recent: Object.fromEntries(recent),
  };
}

function figure(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
