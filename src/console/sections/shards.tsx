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
import { NONE, Table } from "../parts/table.tsx";
import { usePolled } from "../polled.ts";
import { addressOf, type Route, replaceAddress } from "../route.ts";
import { savedKey } from "../session.ts";
import { SegmentStatus } from "../shards/segment-status.tsx";
import { ShardCharts, type Span, spanIn } from "../shards/shard-charts.tsx";
import { type History, keepLook, keptHistory, type Seen } from "../shards/shard-history.ts";
import {
  type Bounds,
  boundsIn,
  duration,
  isDefinition,
  isShardPage,
  type ShardFacts,
  type ShardState,
  shardFacts,
  shardState,
} from "../shards/shard-state.ts";
import { State } from "../shards/state.tsx";

const EVERY_MS = 2000;
/** Policies change seldom. */
const DEFINITION_EVERY_MS = 30_000;

export function Shards({ route }: { route: Route }) {
  const [name, setName] = useState(route.parts[0] ?? "default");
  const [span, setSpan] = useState(() => spanIn(route.query.span));
  const [page, setPage] = useState("");
  const problem = nameProblem(name);
  const settled = useSettledName(name);
  const status = usePolled(
    settled === "" ? "" : `/v1/shards/${settled}${cursorQuery(page)}`,
    EVERY_MS,
    { isAnswer: isShardPage },
  );
  const defined = usePolled(
    settled === "" ? "" : `/v1/namespaces/${settled}`,
    DEFINITION_EVERY_MS,
    { isAnswer: isDefinition },
  );
  const definition = defined.answer;
  const next = textOf(status.answer?.cursor);
  const show = (typed: string): void => {
    setName(typed);
    setPage("");
    replaceAddress(addressOf("shards", [typed], { span }));
  };
  const showSpan = (chosen: Span): void => {
    setSpan(chosen);
    replaceAddress(addressOf("shards", [name], { span: chosen }));
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
      {definition?.retired === true && (
        <p class="warning">This namespace is retired: it issues no more IDs.</p>
      )}
      {status.answer && definition && definition.kind === "segment" && (
        <SegmentStatus key={settled} answer={status.answer} atMs={status.atMs} />
      )}
      {status.answer && definition && definition.kind !== "segment" && (
        <KeptShards
          key={`${settled} ${page}`}
          // Another key may be another person's.
          name={`${savedKey()} ${settled} ${page}`}
          answer={status.answer}
          atMs={status.atMs}
          definition={definition}
          isWhole={page === "" && next === ""}
          span={span}
          onSpan={showSpan}
        />
      )}
      <Pager key={settled} at={page} next={next} onGo={setPage} />
    </>
  );
}

interface Answer {
  readonly answer: Json;
  readonly atMs: number;
  readonly definition: Json;
}

function KeptShards(props: Answer & Shown & { name: string }) {
  const { name, answer, atMs, definition, ...shown } = props;
  const [history, setHistory] = useState(() => keptHistory(name));
  useLayoutEffect(() => {
    setHistory(keepLook(name, objectsOf(answer.shards).map(shardFacts), atMs));
  }, [answer]);
  return <ShardsView history={history} bounds={boundsIn(definition)} {...shown} />;
}

interface Shown {
  /** Whether these are all shards of the namespace, not one page of them. */
  readonly isWhole: boolean;
  readonly span: Span;
  readonly onSpan: (span: Span) => void;
}

export function ShardsView(props: Shown & { history: History; bounds: Bounds }) {
  const { history, bounds, isWhole, span, onSpan } = props;
  const seen = history.shards.map((one) => {
    return { ...one, state: shardState(one.facts, one.recent, bounds) };
  });
  const states = seen.map(({ state }) => state);
  return (
    <>
      <p>{summaryOf(states, isWhole)}</p>
      <ShardCharts history={history} span={span} onSpan={onSpan} />
      <Table
        label="Shards"
        headings={HEADINGS}
        rows={seen.map((one) => ({ id: one.facts.shard, cells: cellsOf(one, one.state) }))}
      />
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

/** The worst first. */
const LEVELS = ["bad", "warning", "good", "idle"] as const;

/** How many shards are in which state, as “8 shards: 6 in step, 2 idle”. */
function summaryOf(states: readonly ShardState[], isWhole: boolean): string {
  const counts = new Map<string, number>();
  const sorted = LEVELS.flatMap((level) => states.filter((one) => one.level === level));
  for (const { words } of sorted) counts.set(words, (counts.get(words) ?? 0) + 1);
  const each = [...counts].map(([words, count]) => `${count} ${words}`);
  const count = states.length === 1 ? "1 shard" : `${states.length} shards`;
  return `${count}${isWhole ? "" : " on this page"}: ${each.join(", ")}`;
}

function cellsOf({ facts, isKnown, rate }: Seen, state: ShardState) {
  // A shard that nobody used has no figures.
  const hasFigures = isKnown && !facts.isUnused;
  const refused = Object.entries(facts.refusals).filter(([, times]) => times > 0);
  return [
    <>
      {facts.shard} <small>{facts.region}</small>
    </>,
    <State state={state} />,
    hasFigures && rate !== undefined ? figure(rate) : NONE,
    hasFigures ? duration(facts.leadMs) : NONE,
    writesOf(facts),
    hasFigures ? figure(facts.issued) : NONE,
    refused.map(([code, times]) => `${code} ${figure(times)}`).join(", ") || NONE,
  ];
}

/** Writes per million IDs, over all time: the last seconds have too few to tell. */
function writesOf({ writes, issued }: ShardFacts): string {
  return issued === 0 ? NONE : figure((writes * 1e6) / issued);
}
