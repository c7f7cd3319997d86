/** What the service says, asked again and again while the page is visible. */
import { useEffect, useState } from "hono/jsx/dom";
import { ask, type Json } from "./api.ts";

export interface Polled {
  /** The last answer; kept while the service is away. */
  readonly answer?: Json;
  /** When it came, by performance.now(). */
  readonly atMs: number;
  /** Why the last question was not answered. */
  readonly error?: unknown;
}

const NOTHING: Polled = { atMs: 0 };

/** Asks for `path` now and every so many ms; one question at a time. An empty path asks nothing. */
export function usePolled(path: string, everyMs: number): Polled {
  const [state, setState] = useState<{ path: string; polled: Polled }>({ path, polled: NOTHING });
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = NOTHING;
    const tell = (polled: Polled): void => {
      if (signal.aborted) return;
      last = polled;
      setState({ path, polled });
    };
    const look = async (): Promise<void> => {
      if (document.visibilityState === "visible") {
        await ask(path, { signal }).then(
          (answer) => tell({ answer, atMs: performance.now() }),
          (error: unknown) => tell({ ...last, error }),
        );
      }
      if (!signal.aborted) timer = setTimeout(look, everyMs);
    };
    if (path !== "") void look();
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [path, everyMs]);
  return state.path === path ? state.polled : NOTHING;
}
