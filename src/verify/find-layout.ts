import { PRESETS } from "../core/presets.ts";
import { DIALECTS } from "./dialects.ts";
import type { HttpSender, Received } from "./http-sender.ts";
import { jsonOf } from "./json.ts";
import { describedLayout, type KnownLayout, presetLayout, unknownLayout } from "./known-layout.ts";
import type { VerifyOptions } from "./options.ts";

/** A Leaf server is known to have this one. */
const LEAF_PRESET = "leaf";

/**
 * How the IDs are to be read: as --preset says, else as the service says, else as the built-in namespace of that name
 * has it; Leaf's own layout where a Leaf server says nothing.
 */
export async function findLayout(options: VerifyOptions, sender: HttpSender): Promise<KnownLayout> {
  const { dialect, namespace, preset, key } = options;
  if (DIALECTS[dialect].kind === "none") return unknownLayout("IDs of this dialect have no time");
  if (preset === "none") return unknownLayout("--preset none");
  if (preset !== undefined) return presetLayout(preset, `--preset ${preset}`);
  const path = `/v1/namespaces/${encodeURIComponent(namespace)}`;
  const headers = {
    accept: "application/json",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const received = await new Promise<Received>((resolve) => {
    sender.send({ path, headers }, resolve);
  });
  if (received.kind === "answer" && received.answer.status === 200) {
    const found = describedLayout(jsonOf(received.answer.text), `GET ${path}`);
    if (found) return found;
  }
  const said = received.kind === "answer" ? `${received.answer.status}` : received.code;
  if (dialect === "leaf-snowflake") return presetLayout(LEAF_PRESET, "Leaf's own");
  if (PRESETS.has(namespace)) return presetLayout(namespace, `the built-in ${namespace}`);
  return unknownLayout(`GET ${path}: ${said}; --preset says it`);
}
