/** Namespaces that an ID can be of: the built-in ones, which need no request, and those of the service. */
import { type Layout, type LayoutSpec, makeLayout } from "../core/layout.ts";
import { PRESETS } from "../core/presets.ts";
import { ask, isListOf, type Json, numberOf, objectIn, objectsOf, textOf } from "./api.ts";

/** A namespace as the console knows it; without a layout it is a segment. */
export interface KnownNamespace {
  readonly name: string;
  readonly layout: Layout | undefined;
}

const NAME = /^[A-Za-z][A-Za-z0-9._-]{0,62}$/;

/** What a namespace may be called, as part of a sentence. */
export const NAME_TAKES = "a letter, then up to 62 letters, digits, dots, underscores or hyphens";

/** Whether a namespace can have that name; others are not asked for. */
export function isName(name: string): boolean {
  return NAME.test(name);
}

/** The presets' names. */
export const PRESET_NAMES: readonly string[] = [...PRESETS.keys()];

/** The built-in namespace of that name. */
export function builtIn(name: string): KnownNamespace | undefined {
  const preset = PRESETS.get(name);
  return preset && { name, layout: preset.layout };
}

/** What the service says of a namespace. Throws where its layout is none. */
export function namespaceIn({ name, kind, layout }: Json): KnownNamespace {
  return {
    name: textOf(name),
    layout: kind === "segment" ? undefined : layoutIn(objectIn(layout)),
  };
}

/** Pages of a hundred names that are read to offer them. */
const NAME_PAGES_MAX = 10;

/** Names of the service's namespaces, the built-in ones among them; of very many the first. Throws ApiError. */
export async function listNames(): Promise<string[]> {
  const names: string[] = [];
  let cursor = "";
  for (let page = 0; page < NAME_PAGES_MAX; page += 1) {
    const query = new URLSearchParams({ limit: "100", ...(cursor !== "" && { cursor }) });
    const answer = await ask(`/v1/namespaces?${query}`, { isAnswer: isNamespacePage });
    names.push(...objectsOf(answer.namespaces).map(({ name }) => textOf(name)));
    cursor = textOf(answer.cursor);
    if (cursor === "") break;
  }
  return names;
}

function isNamespacePage({ namespaces }: Json): boolean {
  return isListOf(namespaces, ({ name }) => isName(textOf(name)));
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
