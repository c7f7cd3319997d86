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
