import { useState } from "hono/jsx/dom";

/** A form's state of several parts. */
export interface Parts<State extends object> {
  /** As of this render. */
  readonly shown: State;
  /** As it is now: renders come later than events, and an event that relied on `shown` could lose the one before. */
  readonly latest: () => State;
  /** Changes some parts; the state after it. */
  readonly change: (part: Partial<State>) => State;
}

export function useParts<State extends object>(start: State | (() => State)): Parts<State> {
  const [shown, setShown] = useState(start);
  const [box] = useState(() => ({ state: shown }));
  const change = (part: Partial<State>): State => {
    box.state = { ...box.state, ...part };
    // As a function, so that the newest is taken whenever the render comes.
    setShown(() => box.state);
    return box.state;
  };
  return { shown, latest: () => box.state, change };
}
