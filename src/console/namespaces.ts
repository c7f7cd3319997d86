/** Namespaces to choose from: the built-in ones, which need no request, and those of the service. */
import { type Layout, makeLayout } from "../core/layout/layout.ts";
import { PRESETS } from "../core/layout/presets.ts";
import { NAMESPACE_NAME } from "../core/namespace/namespace.ts";
import { ask, isListOf, type Json, objectsOf, textOf } from "./api.ts";

/** A namespace as the console needs it. `layout` is undefined for a segment. */
export interface KnownNamespace {
  readonly name: string;
  readonly layout: Layout | undefined;
}

/** The presets' names. */
export const PRESET_NAMES: readonly string[] = [...PRESETS.keys()];

/** The built-in namespace of that name. */
export function builtIn(name: string): KnownNamespace | undefined {
  const preset = PRESETS.get(name);
  return preset && { name, layout: preset.layout };
}

/** Reads the service's description of a namespace. Throws if its layout is invalid. */
export function namespaceIn({ name, kind, layout }: Json): KnownNamespace {
  return {
    name: textOf(name),
    layout: kind === "segment" ? undefined : layoutIn(layout),
  };
}

/** Most pages of a hundred names to request. */
const NAME_PAGES_MAX = 10;

/** Names of the service's namespaces with the built-in ones, up to NAME_PAGES_MAX pages. Throws ApiError. */
export async function listNames(): Promise<string[]> {
  const { namespaces } = await askAllPages(NAMESPACES_PATH);
  return objectsOf(namespaces).map(({ name }) => textOf(name));
}

export const NAMESPACES_PATH = "/v1/namespaces";

/**
 * The list of namespaces with the built-in ones, up to NAME_PAGES_MAX pages as if they were one. It has a `cursor` if
 * there are more. Throws ApiError.
 */
export async function askAllPages(
  path: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<Json> {
  const namespaces: Json[] = [];
  let cursor = "";
  for (let page = 0; page < NAME_PAGES_MAX; page += 1) {
    const query = new URLSearchParams({ limit: "100", ...(cursor !== "" && { cursor }) });
    const answer = await ask(`${path}?${query}`, {
      isAnswer: isNamespacePage,
      ...(signal && { signal }),
    });
    namespaces.push(...objectsOf(answer.namespaces));
    cursor = textOf(answer.cursor);
    if (cursor === "") break;
  }
  return { namespaces, cursor };
}

function isNamespacePage({ namespaces }: Json): boolean {
  return isListOf(namespaces, ({ name }) => NAMESPACE_NAME.test(textOf(name)));
}

/** Reads a layout of a response. Throws if it is invalid. */
function layoutIn(answer: unknown): Layout {
  const made = makeLayout(answer);
  if (!made.ok) throw new Error(`Unexpected layout from the service: ${made.problems.join("; ")}.`);
  return made.layout;
}
