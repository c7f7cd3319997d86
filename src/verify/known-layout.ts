/** How a namespace's IDs are read: what is known without asking anybody, and what the service says. */
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

/** How far IDs may be from the request that brought them, in ms. */
export interface TimeBounds {
  /** Older than the request's sending. */
  readonly behindMaxMs: number;
  /** Ahead of the answer's arrival. */
  readonly aheadMaxMs: number;
}

export interface KnownLayout {
  /** Undefined: IDs are numbers that say nothing, or how to read them is not known. */
  readonly layout: Layout | undefined;
  /** What an ID's time may be from its request where --skew-ms says nothing. */
  readonly times: TimeBounds | undefined;
  /** Where this is from, for people. */
  readonly source: string;
}

export function unknownLayout(source: string): KnownLayout {
  return { layout: undefined, times: undefined, source };
}

/** The layout and policy of a preset. Throws RangeError where there is none of that name. */
export function presetLayout(name: string, source: string): KnownLayout {
  const preset = PRESETS.get(name);
  if (!preset) throw new RangeError(`there is no preset ${name}`);
  const times = timesOf(preset.policy, FRESH_FOR_DEFAULT_MS);
  return { layout: preset.layout, times, source };
}

/** What `GET /v1/namespaces/{namespace}` says; undefined where it is no answer of that route. */
export function describedLayout(body: unknown, source: string): KnownLayout | undefined {
  const { kind, layout, policy } = fieldsOf(body);
  if (kind === "segment") return unknownLayout("the namespace is a segment: its IDs have no time");
  const made = makeLayout(layout);
  const { freshForMs } = fieldsOf(policy);
  const isRead = isPolicy(policy) && isWhole(freshForMs, 0, Number.MAX_SAFE_INTEGER);
  if (kind !== "snowflake" || !made.ok || !isRead) return undefined;
  return { layout: made.layout, times: timesOf(policy, freshForMs), source };
}

/** A fresh ID may be older than its request by freshForMs, and lead by what may be borrowed and forgiven. */
function timesOf({ maxStepBackMs, maxBorrowMs }: Policy, freshForMs: number): TimeBounds {
  return {
    behindMaxMs: freshForMs + CLOCKS_DIFFER_MAX_MS,
    aheadMaxMs: maxStepBackMs + maxBorrowMs + CLOCKS_DIFFER_MAX_MS,
  };
}

/** A Leaf server is known to have this one. */
const LEAF_PRESET = "leaf";
/** What a server says that has no such route. */
const NOT_FOUND = 404;

/** What the command line says of how IDs are read, or may be asked. */
export type LayoutOptions = Pick<VerifyOptions, "dialect" | "namespace" | "preset" | "key">;

/** How the IDs are to be read: as the command line says, else as the service does, see `askedLayout`. */
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
 * What came of asking the service: its layout. Where it doesn't say, the built-in namespace of that name, which never
 * changes; of a server that speaks Leaf's dialect, Leaf's own where it has no such route. One that may not or can't
 * answer is not known to be Leaf itself: nothing is assumed of it.
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
    if (status === NOT_FOUND) return presetLayout(LEAF_PRESET, "Leaf's own");
  } else if (PRESETS.has(namespace)) return presetLayout(namespace, `the built-in ${namespace}`);
  const said = received.kind === "lost" ? received.code : status;
  return unknownLayout(`${asked}: ${said}; --preset says it`);
}

function statusOf(received: Received): number | undefined {
  if (received.kind === "lost") return undefined;
  return received.kind === "answer" ? received.answer.status : received.status;
}

function pathOf({ namespace }: LayoutOptions): string {
  return `/v1/namespaces/${encodeURIComponent(namespace)}`;
}

/** What the checker reads of an ID. `core/layout/id.ts` reads all of it, at ten times the cost. */
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
    // The datacenter's bits are right above the worker's.
    this.#shardShift = BigInt(Math.min(layout.totalBits, ...places.map(({ shift }) => shift)));
    this.#shardBits = places.reduce((sum, { bits }) => sum + bits, 0);
  }

  /** When the ID's tick begins, unix ms. Bits above the layout count as time, so that they are not overlooked. */
  unixMsOf(id: bigint): number {
    return this.#epochMs + Number(id >> this.#timeShift) * this.tickMs;
  }

  /** Datacenter and worker fields as one number. */
  shardOf(id: bigint): number {
    return Number(BigInt.asUintN(this.#shardBits, id >> this.#shardShift));
  }
}
