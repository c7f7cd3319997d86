/** Published layouts of other systems, to decode their IDs. They are no namespaces of the service. */
import type { LayoutSpec } from "../../core/layout/layout.ts";
import { DEFAULT_SPEC } from "../../core/layout/presets.ts";

/** By the name of the system. */
export const PUBLISHED: ReadonlyMap<string, LayoutSpec> = new Map([
  ["Discord", { ...DEFAULT_SPEC, datacenterBits: 5, workerBits: 5, epochMs: 1_420_070_400_000 }],
  [
    // Its 41 bits of time begin at the sign, which is never set: 40 read the same.
    "Instagram",
    {
      ...DEFAULT_SPEC,
      timestampBits: 40,
      workerBits: 13,
      sequenceBits: 10,
      epochMs: 1_314_220_021_721,
    },
  ],
  [
    // The example of its README; widths and epoch can be configured.
    "UidGenerator",
    {
      ...DEFAULT_SPEC,
      timestampBits: 29,
      workerBits: 21,
      sequenceBits: 13,
      epochMs: 1_474_300_800_000,
      tickMs: 1000,
    },
  ],
]);
