import { useState } from "hono/jsx/dom";
import { useParts } from "./parts.ts";

export interface Action {
  readonly isBusy: boolean;
  /** Why it failed last; undefined once it went well. */
  readonly error: unknown;
  /** Starts it, unless it is under way already. */
  readonly act: (work: () => Promise<void>) => void;
}

interface State {
  readonly isBusy: boolean;
  readonly error: unknown;
}

/** Something that is done at the service: once at a time. */
export function useAction(): Action {
  const { shown, latest, change } = useParts<State>({ isBusy: false, error: undefined });
  const act = (work: () => Promise<void>): void => {
    if (latest().isBusy) return;
    change({ isBusy: true, error: undefined });
    work().then(
      () => change({ isBusy: false }),
      (error: unknown) => change({ isBusy: false, error }),
    );
  };
  return { ...shown, act };
}

/** Things that are done at the service one after another: none of them is passed over while another is under way. */
export function useQueue(): Omit<Action, "isBusy"> {
  const { shown, latest, change } = useParts<{ error: unknown; left: number }>({
    error: undefined,
    left: 0,
  });
  const [line] = useState(() => ({ end: Promise.resolve() }));
  const act = (work: () => Promise<void>): void => {
    const { left, error } = latest();
    // What went wrong stays until something is begun anew.
    change({ left: left + 1, error: left > 0 ? error : undefined });
    line.end = line.end.then(work).then(
      () => void change({ left: latest().left - 1 }),
      (cause: unknown) => void change({ left: latest().left - 1, error: cause }),
    );
  };
  return { error: shown.error, act };
}
