import { useState } from "preact/hooks";

/** The state of a form with several parts. */
export interface Parts<State extends object> {
  /** The state of this render. */
  readonly shown: State;
  /** The current state: renders come later than events, and an event that used `shown` could undo the previous one. */
  readonly latest: () => State;
  /** Changes some parts; returns the new state. */
  readonly change: (part: Partial<State>) => State;
}

export function useParts<State extends object>(start: State | (() => State)): Parts<State> {
  const [shown, setShown] = useState(start);
  const [box] = useState(() => ({ state: shown }));
  const change = (part: Partial<State>): State => {
    box.state = { ...box.state, ...part };
    // As a function, so that a late render gets the newest state.
    setShown(() => box.state);
    return box.state;
  };
  return { shown, latest: () => box.state, change };
}
