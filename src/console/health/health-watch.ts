/** Looks at the shards of namespaces in turn, one request at a time, for the Overview. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ask, type Json, textOf } from "../api.ts";
import { useSavedKey } from "../session.ts";
import { isShardPage } from "../shards/shard-state.ts";
import { type Health, healthOf } from "./namespace-health.ts";

/** The last look at a namespace. */
export interface Look {
  readonly atMs: number;
  /** The status of its first page of shards. */
  readonly page: Json;
  readonly health: Health;
  /** IDs per second since the look before; undefined after the first. */
  readonly rate?: number;
}

/** An `error` is of the latest look; `look` is then an earlier one. */
export interface Seen {
  readonly look?: Look;
  readonly error?: unknown;
}

/** The looks so far, by namespace. */
export type Looks = ReadonlyMap<string, Seen>;

const NONE: Looks = new Map();
/** The time of a round of a few namespaces, in ms: asking a shard wakes it. */
const ROUND_MS = 10_000;
/** Least time between two requests, in ms, and the time in the first two rounds, which give the first rates. */
const [LEAST_MS, FIRST_MS] = [1000, 250];

/** Looks at each namespace in turn while the page is visible. */
export function useLooks(definitions: readonly Json[]): Looks {
  const key = useSavedKey();
  const names = definitions.map(({ name }) => textOf(name));
  const subject = `${key} ${names.join(" ")}`;
  const [state, setState] = useState({ subject, looks: NONE });
  // A changed policy counts from the next look on.
  const latest = useRef(definitions);
  latest.current = definitions;
  useLayoutEffect(() => {
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let looks = NONE;
    const visit = async (index: number): Promise<void> => {
      const { length } = latest.current;
      const definition = latest.current[index % length];
      if (!definition) return;
      if (document.visibilityState === "visible") {
        const name = textOf(definition.name);
        const before = looks.get(name)?.look;
        const seen: Seen = await lookAt(definition, before, ended.signal).catch(
          (error: unknown) => {
            return { ...(before && { look: before }), error };
          },
        );
        if (ended.signal.aborted) return;
        looks = new Map([...looks, [name, seen]]);
        setState({ subject, looks });
      }
      const isEarly = index < 2 * length - 1;
      const pauseMs = isEarly ? FIRST_MS : Math.max(LEAST_MS, ROUND_MS / length);
      timer = setTimeout(() => void visit(index + 1), pauseMs);
    };
    void visit(0);
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [subject]);
  return state.subject === subject ? state.looks : NONE;
}

async function lookAt(definition: Json, before: Look | undefined, signal: AbortSignal) {
  const path = `/v1/shards/${textOf(definition.name)}`;
  const page = await ask(path, { signal, isAnswer: isShardPage });
  const atMs = performance.now();
  const health = healthOf(definition, page, before?.page);
  const look: Look = { atMs, page, health };
  if (!before) return { look };
  const seconds = Math.max(0.001, (atMs - before.atMs) / 1000);
  const rate = Math.max(0, health.issued - before.health.issued) / seconds;
  return { look: { ...look, rate } };
}
