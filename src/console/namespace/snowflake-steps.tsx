/** The steps of a new snowflake namespace: its layout, its shards and its policy. */
import { useState } from "preact/hooks";
import type { Layout } from "../../core/layout/layout.ts";
import { PRESETS } from "../../core/layout/presets.ts";
import { SHARDS_DEFAULT } from "../../core/limits.ts";
import { defaultPolicyOf, shardsMax } from "../../core/namespace/namespace.ts";
import { REGIONS } from "../../core/regions.ts";
import { Bits } from "../design/bits.tsx";
import type { Designed, DesignInput } from "../design/design-input.ts";
import { facts, type LimitUse, limitUses, shardsUse } from "../design/layout-facts.ts";
import { LayoutForm } from "../design/layout-form.tsx";
import { figure } from "../figure.ts";
import { FactTable } from "../parts/fact-table.tsx";
import { Choice, TextField } from "../parts/field.tsx";
import { HintedField } from "../parts/hinted-field.tsx";
import { Problem } from "../parts/problem.tsx";
import { EncodingChoice, Told, unreadIn } from "../sections/decode.tsx";
import { presetPolicyOf } from "./change.ts";
import { widthsOf } from "./list.ts";
import { PolicyFields } from "./policy-fields.tsx";
import { errorOf } from "./texts.ts";

/** A design, with an ID to decode with it. */
export interface DesignState extends Required<DesignInput> {
  readonly id: string;
  /** The encoding of the ID. */
  readonly chosen: string;
}

interface Steps {
  readonly state: DesignState;
  /** As of now: `state` is as of the last render. */
  readonly latest: () => DesignState;
  readonly design: Designed;
  readonly onChange: (part: Partial<DesignState>) => void;
}

const OWN = "";

/** The presets and a layout of one's own, to choose from. */
const LAYOUTS = [
  ...[...PRESETS].map(([name, { layout }]) => [name, `${name}: ${widthsOf(layout)}`] as const),
  [OWN, "none: a layout of your own"] as const,
];

/** The use of each preset. */
const PRESET_TEXTS: Readonly<Record<string, string>> = {
  default: "For general use. It continues if its clock goes back by up to 1 h.",
  twitter: "Twitter’s Snowflake. It waits out a clock that goes back by up to 100 ms.",
  leaf: "Meituan Leaf’s layout. Random starts in each ms spread id % n evenly.",
  js53: "Every ID is exact as a JavaScript number: at most 2^53 − 1.",
  node: "A layout with rollback bits: another lane serves if the clock goes back.",
};

export function SnowflakeSteps(steps: Steps) {
  const { state, latest, design, onChange } = steps;
  const { layout } = design;
  const choose = (preset: string): void => {
    // A layout of one's own begins with the preset that was chosen before.
    const spec = PRESETS.get(latest().preset)?.spec ?? latest().spec;
    onChange(preset === OWN ? { preset, spec } : { preset });
  };
  const layoutErrors = design.ok ? [] : design.errors.filter(({ field }) => field === "layout");
  return (
    <>
      <h2>Layout</h2>
      <p>The bits of each ID, from the most significant. A layout never changes.</p>
      <form class="row" onSubmit={(event: Event) => event.preventDefault()}>
        <Choice label="Preset" value={state.preset} options={LAYOUTS} onValue={choose} />
      </form>
      {state.preset !== OWN && <p>{PRESET_TEXTS[state.preset]}</p>}
      {state.preset === OWN && (
        <LayoutForm
          spec={state.spec}
          onChange={(part) => onChange({ spec: { ...latest().spec, ...part } })}
        />
      )}
      {layoutErrors.length > 0 && (
        <Problem
          error={`Invalid layout: ${layoutErrors.map(({ detail }) => detail).join("; ")}.`}
        />
      )}
      {layout && state.preset === OWN && (
        <Reader layout={layout} state={state} onChange={onChange} />
      )}
      {layout && state.preset !== OWN && <Bits layout={layout} />}
      <Shards {...steps} />
      <Policy {...steps} />
      {design.ok && (
        <FactTable
          caption="Properties"
          rows={facts(design.layout, design.definition.shards, Date.now())}
        />
      )}
      {state.preset === OWN && <Limits uses={usesOf(state, design)} />}
    </>
  );
}

/** The picture of the layout, or of an ID decoded with it. */
function Reader(props: {
  layout: Layout;
  state: DesignState;
  onChange: (part: Partial<DesignState>) => void;
}) {
  const { layout, state, onChange } = props;
  const id = state.id.trim();
  return (
    <div>
      <form class="row" onSubmit={(event: Event) => event.preventDefault()}>
        <TextField
          label="ID to decode with it"
          value={state.id}
          placeholder="175928847299117063"
          problem={unreadIn(layout, id, state.chosen)}
          onValue={(next) => onChange({ id: next })}
        />
        <EncodingChoice value={state.chosen} onValue={(chosen) => onChange({ chosen })} />
      </form>
      {id === "" ? (
        <Bits layout={layout} />
      ) : (
        <Told layout={layout} text={id} chosen={state.chosen} />
      )}
    </div>
  );
}

function Shards({ state, design, onChange }: Steps) {
  const { layout } = design;
  const errors = design.ok ? [] : design.errors;
  const most = layout && shardsMax(layout);
  const usual = most && Math.min(SHARDS_DEFAULT, most);
  return (
    <>
      <h2>Shards</h2>
      <div class="fields">
        <HintedField
          label="Shards"
          value={state.shards}
          placeholder={usual ? `${usual}` : ""}
          problem={errorOf(errors, "shards")}
          hint={`${most ? `At most ${figure(most)}. ` : ""}The number can grow later, never shrink.`}
          onValue={(next) => onChange({ shards: next.trim() })}
        />
        <HintedField
          label="Regions"
          value={state.regions}
          placeholder="enam, wnam, weur, apac"
          problem={errorOf(errors, "regions")}
          hint={`Where Cloudflare creates the shards, in turn: of ${REGIONS.join(", ")}. They never change.`}
          onValue={(next) => onChange({ regions: next })}
        />
      </div>
    </>
  );
}

/** Closed at first: the preset's policy is right for most. */
function Policy({ state, latest, design, onChange }: Steps) {
  const preset = PRESETS.has(state.preset) ? state.preset : "default";
  const changed = Object.values(state.policy).filter((text) => text !== "").length;
  // It must not close while somebody empties its last field.
  const [isOpen] = useState(changed > 0);
  return (
    <details open={isOpen}>
      <summary>
        Policy: {changed === 0 ? `as of the preset ${preset}` : `${changed} of its fields set`}
      </summary>
      <p>
        How shards treat demand, clocks and leases. It can change later. An empty field has the
        value of the preset {preset}.
      </p>
      <PolicyFields
        texts={state.policy}
        usual={
          design.ok
            ? presetPolicyOf(design.definition)
            : design.layout &&
              defaultPolicyOf(preset, PRESETS.get(state.preset)?.spec ?? state.spec)
        }
        errors={design.ok ? [] : design.errors}
        onChange={(part) => onChange({ policy: { ...latest().policy, ...part } })}
      />
    </details>
  );
}

function usesOf({ spec, shards }: DesignState, design: Designed): LimitUse[] {
  const uses = limitUses(spec);
  if (!design.layout) return uses;
  const count = design.ok ? design.definition.shards : Number(shards);
  return Number.isInteger(count) ? [...uses, shardsUse(design.layout, count)] : uses;
}

function Limits({ uses }: { uses: readonly LimitUse[] }) {
  return (
    <table>
      <caption>Limits</caption>
      <tbody>
        {uses.map(({ what, used, most, unit, why }) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>
              {used > most ? <b class="bad">{`${used - most} too many: `}</b> : ""}
              {used} of {most} {unit} <small>{why}</small>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
