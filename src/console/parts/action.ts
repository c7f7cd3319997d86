import { useState } from "hono/jsx/dom";

export interface Action {
  readonly isBusy: boolean;
  /** Why it failed last; undefined once it went well. */
  readonly error?: unknown;
  /** Starts it, unless it is under way already. */
  readonly act: (work: () => Promise<void>) => void;
}

/** Something that is done at the service: once at a time. */
export function useAction(): Action {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const act = (work: () => Promise<void>): void => {
    if (state.isBusy) return;
    setState({ isBusy: true });
    work().then(
      () => setState({ isBusy: false }),
      (error: unknown) => setState({ isBusy: false, error }),
    );
  };
  return { ...state, act };
}
