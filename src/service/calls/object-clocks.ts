/** The clocks that this isolate's objects showed last: each call echoes them (core/line/object-clock). */

import { setBounded } from "../../core/bounded-map.ts";
import {
  type ClockEcho,
  echoOf,
  type InstanceClock,
  isStronger,
  NO_ECHO,
  type SeenClock,
} from "../../core/line/object-clock.ts";
import { OBJECT_CLOCKS_MAX } from "../limits.ts";

/** By the object's name: plain data, so that it may outlive a request. */
const seen = new Map<string, SeenClock>();

/** Remembers the clock that a reply of that object showed, unless one seen before proves more. */
export function noteClock(name: string, { instance, nowMs }: InstanceClock): void {
  const clock = { instance, nowMs, seenAtMs: Date.now() };
  const known = seen.get(name);
  if (!known || isStronger(clock, known)) setBounded(seen, name, clock, OBJECT_CLOCKS_MAX);
}

/** What to return to that object in a call that leaves at `nowMs`. */
export function echoFor(name: string, nowMs: number): ClockEcho {
  const clock = seen.get(name);
  return clock ? echoOf(clock, nowMs) : NO_ECHO;
}
