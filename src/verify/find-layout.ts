import { jsonOf } from "../core/json.ts";
import { PRESETS } from "../core/presets.ts";
import { DIALECTS } from "./dialects.ts";
import type { HttpSender, Received } from "./http-sender.ts";
import { describedLayout, type KnownLayout, presetLayout, unknownLayout } from "./known-layout.ts";
import type { VerifyOptions } from "./options.ts";

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
