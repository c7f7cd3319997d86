import { useState } from "preact/hooks";
import { useParts } from "./parts.ts";

export interface Action {
  readonly isBusy: boolean;
  /** The error of the last run, if it failed. */
  readonly error: unknown;
  /** Starts the work, unless one is running. */
  readonly act: (work: () => Promise<void>) => void;
}

interface State {
  readonly isBusy: boolean;
  readonly error: unknown;
}

/** An action at the service, one at a time. */
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

/** Actions at the service, run one after another; none is dropped. */
export function useQueue(): Omit<Action, "isBusy"> {
  const { shown, latest, change } = useParts<{ error: unknown; left: number }>({
    error: undefined,
    left: 0,
  });
  const [line] = useState(() => ({ end: Promise.resolve() }));
  const act = (work: () => Promise<void>): void => {
    const { left, error } = latest();
    // An error stays until the queue starts again.
    change({ left: left + 1, error: left > 0 ? error : undefined });
    line.end = line.end.then(work).then(
      () => void change({ left: latest().left - 1 }),
      (cause: unknown) => void change({ left: latest().left - 1, error: cause }),
    );
  };
  return { error: shown.error, act };
}
