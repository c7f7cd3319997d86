/** Namespaces that an ID can be of: the built-in ones, which need no request, and those of the service. */
import { type Layout, type LayoutSpec, makeLayout } from "../core/layout.ts";
import { PRESETS } from "../core/presets.ts";
import { ask, type Json, numberOf, objectIn, textOf } from "./api.ts";

/** A namespace as the console knows it; without a layout it is a segment. */
export interface KnownNamespace {
  readonly name: string;
  readonly layout: Layout | undefined;
}

/** The presets' names. */
export const PRESET_NAMES: readonly string[] = [...PRESETS.keys()];

/** The namespace of that name: built in, or asked for at the service. Throws ApiError. */
export async function findNamespace(name: string): Promise<KnownNamespace> {
  const preset = PRESETS.get(name);
  if (preset) return { name, layout: preset.layout };
  const { kind, layout } = await ask(`/v1/namespaces/${encodeURIComponent(name)}`);
  return { name, layout: kind === "segment" ? undefined : layoutIn(objectIn(layout)) };
}

/** Names of a page of the service's namespaces, the built-in ones among them. Throws ApiError. */
export async function listNames(): Promise<string[]> {
  const { namespaces } = await ask("/v1/namespaces?limit=100");
  const listed = Array.isArray(namespaces) ? namespaces : [];
  return listed.map((one) => textOf(objectIn(one).name)).filter((name) => name !== "");
}

/** A layout out of an answer. Throws where it is none. */
function layoutIn(answer: Json): Layout {
  const { lanePlace, laneUse } = answer;
  const spec: LayoutSpec = {
    timestampBits: numberOf(answer.timestampBits),
    datacenterBits: numberOf(answer.datacenterBits),
    workerBits: numberOf(answer.workerBits),
    laneBits: numberOf(answer.laneBits),
    sequenceBits: numberOf(answer.sequenceBits),
    epochMs: numberOf(answer.epochMs),
    tickMs: numberOf(answer.tickMs),
    ...(lanePlace === "aboveWorker" && { lanePlace }),
    ...(laneUse === "back" && { laneUse }),
  };
  const made = makeLayout(spec);
  if (!made.ok) throw new Error(`The service gave no layout: ${made.problems.join("; ")}.`);
  return made.layout;
}
