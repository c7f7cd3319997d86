/** Polls the service while the page is visible. */
import { useLayoutEffect, useState } from "preact/hooks";
import { ApiError, ask, type Json } from "./api.ts";
import { useSavedKey } from "./session.ts";

export interface Polled {
  /** The last response; kept while the service is down. */
  readonly answer?: Json;
  /** When it came, by performance.now(). */
  readonly atMs: number;
  /** The error of the last request, if it failed. */
  readonly error?: unknown;
}

export const NOTHING: Polled = { atMs: 0 };

/** An interval for data that does not change: polls only until the first response. */
export const ONCE = Number.POSITIVE_INFINITY;
/** The longest pause while the service is down, in ms. */
const AWAY_EVERY_MS = 2000;
/** The pause after a rejection that time seldom fixes (a key, a name), or a rate limit, in ms. */
const REFUSED_EVERY_MS = 30_000;
/** The longest pause, whatever Retry-After says, in ms: a wrong one must not stop polling, and timers end at 2^31. */
const PAUSE_MAX_MS = 300_000;
const TOO_MANY_REQUESTS = 429;

interface Question {
  /** Another value polls at once. */
  readonly turn?: number;
  /** As of `ask`; the same function each time. */
  readonly isAnswer?: (answer: Json) => boolean;
  /** Sends the request; `ask` by default. The same function each time. */
  readonly send?: Send;
}

type Send = (
  path: string,
  about: { readonly signal: AbortSignal; readonly isAnswer: (answer: Json) => boolean },
) => Promise<Json>;

/**
 * Polls `path` now and every `everyMs`, one request at a time: at once when the page becomes visible again, and anew
 * with another key of this tab or another `turn`. An empty path sends nothing.
 */
export function usePolled(path: string, everyMs: number, question: Question = {}): Polled {
  const { turn = 0, isAnswer = anything, send = ask } = question;
  const key = useSavedKey();
  const [state, setState] = useState({ path, key, polled: NOTHING });
  // A layout effect: a later one might start after the section is gone, and never end.
  useLayoutEffect(() => {
    if (path === "") return;
    return poll({ path, everyMs, isAnswer, send }, (change) => {
      // A response to another key is not shown with this one.
      setState((before) => {
        const isSame = before.path === path && before.key === key;
        return { path, key, polled: change(isSame ? before.polled : NOTHING) };
      });
    });
  }, [path, everyMs, isAnswer, send, key, turn]);
  return state.path === path && state.key === key ? state.polled : NOTHING;
}

function anything(): boolean {
  return true;
}

export interface Task {
  readonly path: string;
  readonly everyMs: number;
  readonly isAnswer: (answer: Json) => boolean;
  readonly send?: Send;
}

type Tell = (change: (before: Polled) => Polled) => void;

/** Polls until the returned function is called. */
export function poll({ path, everyMs, isAnswer, send = ask }: Task, tell: Tell): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDue = true;
  const look = async (): Promise<void> => {
    if (!isDue || signal.aborted || document.visibilityState !== "visible") return;
    isDue = false;
    const nextMs = await send(path, { signal, isAnswer }).then(
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

/** The last response stays while the service is down or limits the rate; a rejection removes it. */
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
