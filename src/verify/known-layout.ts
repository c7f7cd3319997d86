/** The layout of a namespace's IDs: from the command line, from the service, or built in. */
import { fieldsOf, jsonOf } from "../core/json.ts";
import { type Layout, makeLayout } from "../core/layout/layout.ts";
import { isPolicy, type Policy } from "../core/layout/policy.ts";
import { PRESETS } from "../core/layout/presets.ts";
import { FRESH_FOR_DEFAULT_MS } from "../core/limits.ts";
import { isWhole } from "../core/takes.ts";
import { DIALECTS } from "./dialects.ts";
import type { HttpSender, Received } from "./http-sender.ts";
import { CLOCKS_DIFFER_MAX_MS } from "./limits.ts";
import type { VerifyOptions } from "./options.ts";

/** How far the time of an ID may be from its request, in ms. */
export interface TimeBounds {
  /** Before the request was sent. */
  readonly behindMaxMs: number;
  /** After the answer arrived. */
  readonly aheadMaxMs: number;
}

export interface KnownLayout {
  /** Undefined if IDs are plain numbers, or their layout is unknown. */
  readonly layout: Layout | undefined;
  /** The bounds of an ID's time if --skew-ms is not given. */
  readonly times: TimeBounds | undefined;
  /** The source of the layout, for people. */
  readonly source: string;
}

export function unknownLayout(source: string): KnownLayout {
  return { layout: undefined, times: undefined, source };
}

/** The layout and policy of a preset. Throws RangeError if the name is unknown. */
export function presetLayout(name: string, source: string): KnownLayout {
  const preset = PRESETS.get(name);
  if (!preset) throw new RangeError(`unknown preset ${name}`);
  const times = timesOf(preset.policy, FRESH_FOR_DEFAULT_MS);
  return { layout: preset.layout, times, source };
}

/** The layout in the answer of `GET /v1/namespaces/{namespace}`; undefined if it is not an answer of that route. */
export function describedLayout(body: unknown, source: string): KnownLayout | undefined {
  const { kind, layout, policy } = fieldsOf(body);
  if (kind === "segment") return unknownLayout("segment namespace: its IDs have no time");
  const made = makeLayout(layout);
  const { freshForMs } = fieldsOf(policy);
  const isRead = isPolicy(policy) && isWhole(freshForMs, 0, Number.MAX_SAFE_INTEGER);
  if (kind !== "snowflake" || !made.ok || !isRead) return undefined;
  return { layout: made.layout, times: timesOf(policy, freshForMs), source };
}

/** A fresh ID may be freshForMs older than its request, and lead it by maxBorrowMs and maxStepBackMs. */
function timesOf({ maxStepBackMs, maxBorrowMs }: Policy, freshForMs: number): TimeBounds {
  return {
    behindMaxMs: freshForMs + CLOCKS_DIFFER_MAX_MS,
    aheadMaxMs: maxStepBackMs + maxBorrowMs + CLOCKS_DIFFER_MAX_MS,
  };
}

/** The layout of every Leaf server. */
const LEAF_PRESET = "leaf";
/** The status of a server without such a route. */
const NOT_FOUND = 404;

/** The options that decide how to find the layout. */
export type LayoutOptions = Pick<VerifyOptions, "dialect" | "namespace" | "preset" | "key">;

/** Finds the layout: from the command line, else from the service (see `askedLayout`). */
export async function findLayout(options: LayoutOptions, sender: HttpSender): Promise<KnownLayout> {
  const { dialect, preset, key } = options;
  if (DIALECTS[dialect].kind === "none") return unknownLayout("IDs of this dialect have no time");
  if (preset === "none") return unknownLayout("--preset none");
  if (preset !== undefined) return presetLayout(preset, `--preset ${preset}`);
  const headers = {
    accept: "application/json",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const received = await new Promise<Received>((resolve) => {
    sender.send({ path: pathOf(options), headers }, resolve);
  });
  return askedLayout(options, received);
}

/**
 * The layout in the service's answer. Without one: the built-in namespace of that name, which never changes; or, with
 * Leaf's dialect, Leaf's own layout if the server has no such route. A server that rejects the request or fails may not
 * be Leaf itself, so nothing is assumed of it.
 */
export function askedLayout(options: LayoutOptions, received: Received): KnownLayout {
  const { dialect, namespace } = options;
  const asked = `GET ${pathOf(options)}`;
  const status = statusOf(received);
  if (received.kind === "answer" && status === 200) {
    const found = describedLayout(jsonOf(received.answer.text), asked);
    if (found) return found;
  }
  if (dialect === "leaf-snowflake") {
    if (status === NOT_FOUND) return presetLayout(LEAF_PRESET, "Leaf's own layout");
  } else if (PRESETS.has(namespace))
    return presetLayout(namespace, `built-in namespace ${namespace}`);
  const said = received.kind === "lost" ? received.code : status;
  return unknownLayout(`${asked}: ${said}; use --preset`);
}

function statusOf(received: Received): number | undefined {
  if (received.kind === "lost") return undefined;
  return received.kind === "answer" ? received.answer.status : received.status;
}

function pathOf({ namespace }: LayoutOptions): string {
  return `/v1/namespaces/${encodeURIComponent(namespace)}`;
}

/** The fields of an ID that the checker needs. `core/layout/id.ts` reads all fields, at ten times the cost. */
export class IdFields {
  readonly tickMs: number;
  readonly #epochMs: number;
  readonly #timeShift: bigint;
  readonly #shardShift: bigint;
  readonly #shardBits: number;

  constructor(layout: Layout) {
    this.tickMs = layout.tickMs;
    this.#epochMs = layout.epochMs;
    const places = layout.fields.filter(({ name }) => name === "datacenter" || name === "worker");
    const time = layout.fields.find(({ name }) => name === "timestamp");
    this.#timeShift = BigInt(time?.shift ?? 0);
    // The datacenter's bits are directly above the worker's.
    this.#shardShift = BigInt(Math.min(layout.totalBits, ...places.map(({ shift }) => shift)));
    this.#shardBits = places.reduce((sum, { bits }) => sum + bits, 0);
  }

  /** The begin of the ID's tick, unix ms. Bits above the layout count as time, so that they show. */
  unixMsOf(id: bigint): number {
    return this.#epochMs + Number(id >> this.#timeShift) * this.tickMs;
  }

  /** Datacenter and worker fields as one number. */
  shardOf(id: bigint): number {
    return Number(BigInt.asUintN(this.#shardBits, id >> this.#shardShift));
  }
}
