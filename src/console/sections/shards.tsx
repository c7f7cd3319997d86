/** The section Shards: the current state of a namespace's shards. */
import { useLayoutEffect, useState } from "preact/hooks";
import { type Json, objectsOf, textOf } from "../api.ts";
import { figure } from "../figure.ts";
import {
  NAMESPACE_PROBLEM_ID,
  NamespaceField,
  nameProblem,
  useSettledName,
} from "../parts/namespace-field.tsx";
import { cursorQuery, Pager } from "../parts/pager.tsx";
import { PollFailure } from "../parts/poll-failure.tsx";
import { Problem } from "../parts/problem.tsx";
import { SegmentStatus } from "../parts/segment-status.tsx";
import { Chart, Sparkline } from "../parts/sparkline.tsx";
import { WideTable } from "../parts/wide-table.tsx";
import { usePolled } from "../polled.ts";
import { addressOf, type Route, replaceAddress } from "../route.ts";
import { type History, NO_HISTORY, nextHistory, type Seen, type Totals } from "../shard-history.ts";
import {
  type Bounds,
  boundsIn,
  duration,
  isDefinition,
  isShardPage,
  type ShardFacts,
  shardFacts,
  shardState,
} from "../shard-state.ts";

const EVERY_MS = 2000;
/** Policies change seldom. */
const DEFINITION_EVERY_MS = 30_000;

export function Shards({ route }: { route: Route }) {
  const [name, setName] = useState(route.parts[0] ?? "default");
  const [page, setPage] = useState("");
  const problem = nameProblem(name);
  const asked = useSettledName(name);
  const status = usePolled(
    asked === "" ? "" : `/v1/shards/${asked}${cursorQuery(page)}`,
    EVERY_MS,
    { isAnswer: isShardPage },
  );
  const defined = usePolled(asked === "" ? "" : `/v1/namespaces/${asked}`, DEFINITION_EVERY_MS, {
    isAnswer: isDefinition,
  });
  const definition = defined.answer;
  const show = (next: string): void => {
    setName(next);
    setPage("");
    replaceAddress(addressOf("shards", [next]));
  };
  return (
    <>
      <form class="row" onSubmit={(event: Event) => event.preventDefault()}>
        <NamespaceField value={name} isWrong={problem !== undefined} onValue={show} />
      </form>
      <Problem id={NAMESPACE_PROBLEM_ID} error={problem} />
      <PollFailure
        polled={status.error === undefined && !definition ? defined : status}
        scope="read"
      />
      {status.answer && definition && (
        <Answered
          key={`${asked} ${page}`}
          answer={status.answer}
          atMs={status.atMs}
          definition={definition}
        />
      )}
      <Pager key={asked} at={page} next={textOf(status.answer?.cursor)} onGo={setPage} />
    </>
  );
}

interface Answer {
  readonly answer: Json;
  readonly atMs: number;
  readonly definition: Json;
}

function Answered({ answer, atMs, definition }: Answer) {
  if (definition.kind === "segment") {
    return <SegmentStatus answer={answer} atMs={atMs} />;
  }
  return <ShardTable answer={answer} atMs={atMs} bounds={boundsIn(definition)} />;
}

function ShardTable(props: { answer: Json; atMs: number; bounds: Bounds }) {
  const { answer, atMs, bounds } = props;
  const [history, setHistory] = useState(NO_HISTORY);
  useLayoutEffect(() => {
    const facts = objectsOf(answer.shards).map(shardFacts);
    setHistory((before) => nextHistory(before, facts, atMs));
  }, [answer]);
  return <ShardsView history={history} bounds={bounds} />;
}

export function ShardsView({ history, bounds }: { history: History; bounds: Bounds }) {
  return (
    <>
      <Charts totals={history.totals} />
      <WideTable label="Shards" headings={HEADINGS}>
        {history.shards.map((one) => (
          <ShardRow key={one.facts.shard} seen={one} bounds={bounds} />
        ))}
      </WideTable>
    </>
  );
}

const HEADINGS = [
  "shard",
  "state",
  "IDs/s",
  "lead",
  "writes per million IDs",
  "issued",
  "rejected",
];

function Charts({ totals }: { totals: readonly Totals[] }) {
  const last = totals.at(-1);
  if (!last) return <p>Counting …</p>;
  const { writesPerMillion } = last;
  return (
    <div class="charts">
      <Chart
        title="IDs/s"
        value={figure(last.idsPerSecond)}
        values={totals.map(({ idsPerSecond }) => idsPerSecond)}
      />
      <Chart
        title="largest lead"
        value={duration(last.leadMs)}
        values={totals.map(({ leadMs }) => leadMs)}
        say={duration}
      />
      <Chart
        title="writes per million IDs"
        value={writesPerMillion === undefined ? "–" : figure(writesPerMillion)}
        values={totals.map((one) => one.writesPerMillion ?? 0)}
      />
      <Chart
        title="rejections/s"
        value={figure(last.refusalsPerSecond)}
        values={totals.map(({ refusalsPerSecond }) => refusalsPerSecond)}
      />
    </div>
  );
}

function ShardRow({ seen, bounds }: { seen: Seen; bounds: Bounds }) {
  const { facts, isKnown, rates, recent } = seen;
  const { level, words, advice } = shardState(facts, recent, bounds);
  const rate = rates.at(-1) ?? 0;
  const refused = Object.entries(facts.refusals).filter(([, times]) => times > 0);
  return (
    <tr>
      <th scope="row">
        {facts.shard} <small>{facts.region}</small>
      </th>
      <td class="state">
        <b class={level}>{words}</b>
        {advice !== "" && <small> {advice}</small>}
      </td>
      <td class="rate">
        {isKnown ? figure(rate) : "–"}{" "}
        <Sparkline values={rates} label={`IDs per second of shard ${facts.shard}`} />
      </td>
      <td class="whole">{isKnown ? duration(facts.leadMs) : "–"}</td>
      <td>{writesOf(facts)}</td>
      <td>{isKnown ? figure(facts.issued) : "–"}</td>
      <td>{refused.map(([code, times]) => `${code} ${figure(times)}`).join(", ") || "–"}</td>
    </tr>
  );
}

/** Writes per million IDs, over all time: the last seconds have too few to tell. */
function writesOf({ writes, issued }: ShardFacts): string {
  return issued === 0 ? "–" : figure((writes * 1e6) / issued);
}
