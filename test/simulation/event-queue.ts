/** Future events, the soonest first; of two at the same time, the one added first. */
export interface Due {
  atMs: number;
}

interface Entry<Event> {
  readonly event: Event;
  readonly atMs: number;
  readonly order: number;
}

/** A binary heap. */
export class EventQueue<Event extends Due> {
  readonly #heap: Entry<Event>[] = [];
  #orders = 0;

  /** Its `atMs` does not change while it is in. */
  push(event: Event): void {
    this.#orders += 1;
    const entry = { event, atMs: event.atMs, order: this.#orders };
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = heap[up];
      if (!parent || isSooner(parent, entry)) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = entry;
  }

  /** Takes the next one out. */
  pop(): Event | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (!top || !last || heap.length === 0) return top?.event;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const left = heap[child];
      const right = heap[child + 1];
      if (!left) break;
      if (right && isSooner(right, left)) child += 1;
      const sooner = heap[child];
      if (!sooner || isSooner(last, sooner)) break;
      heap[at] = sooner;
      at = child;
    }
    heap[at] = last;
    return top.event;
  }
}

function isSooner<Event>(one: Entry<Event>, other: Entry<Event>): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
