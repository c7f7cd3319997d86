/** The layout of a namespace's IDs: from the command line, from the service, or built in. */

import { isWhole } from "../core/allowed.ts";
import { fieldsOf, jsonOf } from "../core/json.ts";
import { fieldOf, type Layout, makeLayout } from "../core/layout/layout.ts";
import { isPolicy, type Policy } from "../core/layout/policy.ts";
import { PRESETS } from "../core/layout/presets.ts";
import { FRESH_FOR_DEFAULT_MS } from "../core/limits.ts";
import { DIALECTS, headersOf } from "./dialects.ts";
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
  /** The source of the layout, for people. */
  readonly source: string;
  /** Undefined if IDs are plain numbers, or their layout is unknown. */
  readonly layout?: Layout;
  /** The bounds of an ID's time if --skew-ms is not given. */
  readonly times?: TimeBounds;
}

/** The layout and policy of a preset. Throws RangeError if the name is unknown. */
export function presetLayout(name: string, source: string): KnownLayout {
  const preset = PRESETS.get(name);
  if (!preset) throw new RangeError(`unknown preset ${name}`);
  return { source, layout: preset.layout, times: timesOf(preset.policy, FRESH_FOR_DEFAULT_MS) };
}

/** The layout in the answer of `GET /v1/namespaces/{namespace}`; undefined if it is not an answer of that route. */
export function describedLayout(body: unknown, source: string): KnownLayout | undefined {
  const { kind, layout, policy } = fieldsOf(body);
  if (kind === "segment") return { source: "segment namespace: its IDs have no time" };
  const made = makeLayout(layout);
  const { freshForMs } = fieldsOf(policy);
  const isRead = isPolicy(policy) && isWhole(freshForMs, 0, Number.MAX_SAFE_INTEGER);
  if (kind !== "snowflake" || !made.ok || !isRead) return undefined;
  return { source, layout: made.layout, times: timesOf(policy, freshForMs) };
}

/** A fresh ID may be freshForMs older than its request, and lead it by maxBorrowMs and maxStepBackMs. */
function timesOf({ maxStepBackMs, maxBorrowMs }: Policy, freshForMs: number): TimeBounds {
  return {
    behindMaxMs: freshForMs + CLOCKS_DIFFER_MAX_MS,
    aheadMaxMs: maxStepBackMs + maxBorrowMs + CLOCKS_DIFFER_MAX_MS,
  };
}

/** The options that decide how to find the layout. */
export type LayoutOptions = Pick<VerifyOptions, "dialect" | "namespace" | "preset" | "key">;

/** Finds the layout: from the command line, else from the service (see `askedLayout`). */
export async function findLayout(options: LayoutOptions, sender: HttpSender): Promise<KnownLayout> {
  const { dialect, preset, key } = options;
  if (!DIALECTS[dialect].timed) return { source: "IDs of this dialect have no time" };
  if (preset === "none") return { source: "--preset none" };
  if (preset !== undefined) return presetLayout(preset, `--preset ${preset}`);
  const request = { path: pathOf(options), headers: headersOf(key) };
  return askedLayout(options, await sender.send(request));
}

/**
 * The layout in the service's answer. Without one: the built-in namespace of that name, which never changes; or, with
 * Leaf's dialect, Leaf's own layout if the server has no such route. A server that rejects the request or fails may not
 * be Leaf itself, so nothing is assumed of it.
 */
export function askedLayout(options: LayoutOptions, received: Received): KnownLayout {
  const { dialect, namespace } = options;
  const asked = `GET ${pathOf(options)}`;
  const said = received.kind === "answer" ? received.status : received.code;
  const body = received.kind === "answer" && said === 200 ? jsonOf(received.text) : undefined;
  const found = describedLayout(body, asked);
  if (found) return found;
  if (dialect === "leaf-snowflake") {
    if (said === 404) return presetLayout("leaf", "Leaf's own layout");
  } else if (PRESETS.has(namespace)) {
    return presetLayout(namespace, `built-in namespace ${namespace}`);
  }
  return { source: `${asked}: ${said}; use --preset` };
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
    const datacenter = fieldOf(layout, "datacenter");
    const worker = fieldOf(layout, "worker");
    this.tickMs = layout.tickMs;
    this.#epochMs = layout.epochMs;
    this.#timeShift = BigInt(fieldOf(layout, "timestamp")?.shift ?? 0);
    // The datacenter's bits are directly above the worker's.
    this.#shardShift = BigInt((worker ?? datacenter)?.shift ?? 0);
    this.#shardBits = (datacenter?.bits ?? 0) + (worker?.bits ?? 0);
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
