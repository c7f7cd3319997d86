/** The definition of a namespace: its layout, its shards and its policy. */
import { FIELD_TEXTS } from "../../core/layout/fields.ts";
import type { Layout } from "../../core/layout/layout.ts";
import { type SnowflakeDefinition, shardsMax } from "../../core/namespace/namespace.ts";
import type { SegmentDefinition } from "../../core/segment/segment-definition.ts";
import { Bits } from "../design/bits.tsx";
import { facts } from "../design/layout-facts.ts";
import { figure } from "../figure.ts";
import { FactTable } from "../parts/fact-table.tsx";
import { Table } from "../parts/table.tsx";
import { presetPolicyOf } from "./change.ts";
import type { Described } from "./definition.ts";
import { firstIds } from "./segment-input.ts";
import { POLICY_NAMES, valueWords } from "./texts.ts";

/** `hasPolicy`: whether to show the policy too. */
export function NamespaceFacts(props: { described: Described; hasPolicy: boolean }) {
  const { layout, definition } = props.described;
  if (definition.kind === "segment") {
    return <FactTable caption="Numbers" rows={segmentRows(definition)} />;
  }
  if (!layout) return null;
  return (
    <>
      <Bits layout={layout} />
      <FactTable caption="Layout and shards" rows={snowflakeRows(layout, definition)} />
      {props.hasPolicy && <Policy definition={definition} />}
    </>
  );
}

function snowflakeRows(layout: Layout, definition: SnowflakeDefinition): [string, string][] {
  const { shards, regions, keyShards, preset } = definition;
  const ofLayout = facts(layout, shards, Date.now()).filter(([what]) => what !== "Shards");
  const most = shardsMax(layout);
  return [
    ...ofLayout,
    ["Shards", `${figure(shards)} of at most ${figure(most)}`],
    ["Regions", regions.join(", ")],
    ["Shards for keys", figure(keyShards)],
    ["Preset", preset],
  ];
}

function segmentRows(definition: SegmentDefinition): [string, string][] {
  const { step, start, max, delta, remainder } = definition;
  return [
    ["First IDs", firstIds(definition).join(", ")],
    ["Start", figure(BigInt(start))],
    ["Max", `${figure(BigInt(max))}; it can only grow`],
    ["Step", `${figure(step)} numbers per fetch, until Leaf’s rule changes it`],
    ["Delta", figure(delta)],
    ["Remainder", figure(remainder)],
  ];
}

const HEADINGS = ["field", "value", "preset", "meaning"];

/** Each value of the policy beside the preset's. */
export function Policy({ definition }: { definition: SnowflakeDefinition }) {
  const usual = presetPolicyOf(definition);
  return (
    <>
      <h2>Policy</h2>
      <Table
        label="Policy"
        headings={HEADINGS}
        rows={POLICY_NAMES.map((name) => {
          const [value, preset] = [definition.policy[name], usual[name]];
          const isSame = value === preset;
          return {
            id: name,
            cells: [
              name,
              <b key="value" class={isSame ? "usual" : "whole"}>
                {valueWords(name, `${value}`)}
              </b>,
              <span key="preset" class="whole">
                {isSame ? "the same" : valueWords(name, `${preset}`)}
              </span>,
              FIELD_TEXTS[name],
            ],
          };
        })}
      />
    </>
  );
}
