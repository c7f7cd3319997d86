/** What the service says, asked again and again while the page is visible. */
import { useLayoutEffect, useState } from "hono/jsx/dom";
import { ApiError, ask, type Json } from "./api.ts";
import { useSavedKey } from "./session.ts";

export interface Polled {
  /** The last answer; kept while the service is away. */
  readonly answer?: Json;
  /** When it came, by performance.now(). */
  readonly atMs: number;
  /** Why the last question was not answered. */
  readonly error?: unknown;
}

export const NOTHING: Polled = { atMs: 0 };

/** For what does not change: asked again only until there is an answer. */
export const ONCE = Number.POSITIVE_INFINITY;
/** How soon a service that is away is asked again, in ms. */
const AWAY_EVERY_MS = 2000;
/** How soon after a refusal that time seldom mends (a key, a name), or that asks for fewer questions, in ms. */
const REFUSED_EVERY_MS = 30_000;
/** The longest pause, whatever a refusal says, in ms: one that was mistaken must not end it, and timers end at 2^31. */
const PAUSE_MAX_MS = 300_000;
const TOO_MANY_REQUESTS = 429;

interface Question {
  /** Asked anew with another one. */
  readonly turn?: number;
  /** As of `ask`; the same function each time. */
  readonly isAnswer?: (answer: Json) => boolean;
}

/**
 * Asks for `path` now and every so many ms; one question at a time, at once when the page is looked at again, and anew
 * with another key of this tab or another `turn`. An empty path asks nothing.
 */
export function usePolled(path: string, everyMs: number, question: Question = {}): Polled {
  const { turn = 0, isAnswer = anything } = question;
  const key = useSavedKey();
  const [state, setState] = useState({ path, key, polled: NOTHING });
  // Not later: of a section that is left before it was seen, a later start would have no end.
  useLayoutEffect(() => {
    if (path === "") return;
    return poll({ path, everyMs, isAnswer }, (change) => {
      // What another key was shown is not shown to this one.
      setState((before) => {
        const isSame = before.path === path && before.key === key;
        return { path, key, polled: change(isSame ? before.polled : NOTHING) };
      });
    });
  }, [path, everyMs, isAnswer, key, turn]);
  return state.path === path && state.key === key ? state.polled : NOTHING;
}

function anything(): boolean {
  return true;
}

export interface Task {
  readonly path: string;
  readonly everyMs: number;
  readonly isAnswer: (answer: Json) => boolean;
}

type Tell = (change: (before: Polled) => Polled) => void;

/** Goes on until the returned function is called. */
export function poll({ path, everyMs, isAnswer }: Task, tell: Tell): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDue = true;
  const look = async (): Promise<void> => {
    if (!isDue || signal.aborted || document.visibilityState !== "visible") return;
    isDue = false;
    const nextMs = await ask(path, { signal, isAnswer }).then(
      (answer) => {
        if (!signal.aborted) tell(() => ({ answer, atMs: performance.now() }));
        return everyMs;
      },
      (error: unknown) => {
        if (!signal.aborted) tell((before) => withError(before, error));
        return pauseMs(error, everyMs);
      },
    );
    if (signal.aborted || nextMs === ONCE) return;
    timer = setTimeout(() => {
      isDue = true;
      void look();
    }, nextMs);
  };
  const lookNow = (): void => void look();
  document.addEventListener("visibilitychange", lookNow);
  void look();
  return () => {
    ended.abort();
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", lookNow);
  };
}

/** A service that is away or has no time keeps what it said; one that refuses takes it back. */
function withError(before: Polled, error: unknown): Polled {
  return isRefusal(error) ? { ...NOTHING, error } : { ...before, error };
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < TOO_MANY_REQUESTS;
}

function pauseMs(error: unknown, everyMs: number): number {
  if (isRefusal(error)) return REFUSED_EVERY_MS;
  const { status = 0, retryAfterMs = 0 } = error instanceof ApiError ? error : {};
  const usualMs =
    status === TOO_MANY_REQUESTS ? REFUSED_EVERY_MS : Math.min(everyMs, AWAY_EVERY_MS);
  return Math.min(PAUSE_MAX_MS, Math.max(retryAfterMs, usualMs));
}
