/** The last clock readings of objects that this isolate called. Each call echoes them (core/line/object-clock). */

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

/** Readings by the object's name: plain data, so that it can outlive a request. */
const seen = new Map<string, SeenClock>();

/** Stores the clock reading of a reply, unless an earlier reading proves more. */
export function noteClock(name: string, { instance, nowMs }: InstanceClock): void {
  const clock = { instance, nowMs, seenAtMs: Date.now() };
  const known = seen.get(name);
  if (!known || isStronger(clock, known)) setBounded(seen, name, clock, OBJECT_CLOCKS_MAX);
}

/** The echo for a call of that object that leaves at `nowMs`. */
export function echoFor(name: string, nowMs: number): ClockEcho {
  const clock = seen.get(name);
  return clock ? echoOf(clock, nowMs) : NO_ECHO;
}
