/** Creates a namespace of either kind. The designer of layouts is a step of it, and decodes IDs too. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { designAddress, designed, designIn } from "../design/design-input.ts";
import { SegmentFields } from "../namespace/segment-fields.tsx";
import {
  firstIds,
  SEGMENT_NAMES,
  type SegmentChecked,
  segmentChecked,
  segmentDefaults,
  segmentTextsIn,
} from "../namespace/segment-input.ts";
import { type DesignState, SnowflakeSteps } from "../namespace/snowflake-steps.tsx";
import type { Texts } from "../namespace/texts.ts";
import { CreateNamespace, useCreation } from "../parts/create-namespace.tsx";
import { HintedField } from "../parts/hinted-field.tsx";
import { nameProblem } from "../parts/namespace-field.tsx";
import { useParts } from "../parts/parts.ts";
import { addressOf, type Route, replaceAddress } from "../route.ts";
import { chosenIn, encodingQuery } from "./decode.tsx";

/** How long a design must be unchanged before the address shows it, in ms: Safari allows 10 changes per second. */
const ADDRESS_AFTER_MS = 200;

type Kind = "segment" | "snowflake";

interface State extends DesignState {
  readonly kind: Kind;
  readonly name: string;
  readonly segment: Texts;
}

export function Design({ route }: { route: Route }) {
  const form = useParts<State>(() => stateIn(route));
  const { shown, latest } = form;
  const nameField = useRef<HTMLInputElement>(null);
  const showAddress = useLateAddress();
  const show = (part: Partial<State>): void => showAddress(addressIn(form.change(part)));
  const creation = useCreation(
    () => ({ name: latest().name, body: bodyIn(latest()) }),
    () => nameField.current?.focus(),
  );
  const design = designed(shown);
  const segment = segmentChecked(shown.segment);
  return (
    <>
      <form class="row" onSubmit={(event: Event) => event.preventDefault()}>
        <HintedField
          label="Name"
          value={shown.name}
          placeholder="orders"
          field={nameField}
          problem={
            creation.nameProblem ?? (shown.name === "" ? undefined : nameProblem(shown.name))
          }
          hint="It can’t change, and a retired name is never available again."
          onValue={(text) => show({ name: text.trim() })}
        />
        <Kinds kind={shown.kind} onKind={(kind) => show({ kind })} />
      </form>
      {shown.kind === "segment" ? (
        <Segment
          texts={shown.segment}
          checked={segment}
          onChange={(part) => show({ segment: { ...latest().segment, ...part } })}
        />
      ) : (
        <SnowflakeSteps state={shown} latest={latest} design={design} onChange={show} />
      )}
      <CreateNamespace name={shown.name} body={bodyIn(shown)} creation={creation} />
    </>
  );
}

function bodyIn(state: State): object | undefined {
  const checked = state.kind === "segment" ? segmentChecked(state.segment) : designed(state);
  return checked.ok ? checked.body : undefined;
}

function stateIn(route: Route): State {
  const { kind, name = "" } = route.query;
  return {
    ...designIn(route),
    kind: kind === "segment" ? kind : "snowflake",
    name,
    segment: segmentTextsIn(route.query),
    id: route.parts[0] ?? "",
    chosen: chosenIn(route),
  };
}

function addressIn(state: State): string {
  const { kind, name, segment } = state;
  if (kind === "segment") return addressOf("design", [], { kind, name, ...segment });
  return designAddress(state, state.id.trim(), { name, encoding: encodingQuery(state.chosen) });
}

/** Shows an address after a pause: browsers reject as many changes as a slider makes. */
function useLateAddress(): (address: string) => void {
  const [box] = useState<{ timer?: ReturnType<typeof setTimeout> }>({});
  // Must not overwrite the address of the next view.
  useLayoutEffect(() => () => clearTimeout(box.timer), []);
  return (address) => {
    clearTimeout(box.timer);
    box.timer = setTimeout(() => replaceAddress(address), ADDRESS_AFTER_MS);
  };
}

const KINDS = [
  ["snowflake", "Snowflake", "64-bit IDs in rough order of time, from many shards"],
  ["segment", "Segment", "dense numbers 1, 2, 3 … for orders and rows, from one object"],
] as const;

function Kinds({ kind, onKind }: { kind: Kind; onKind: (kind: Kind) => void }) {
  return (
    <fieldset class="kinds">
      <legend>Kind</legend>
      {KINDS.map(([value, title, meaning]) => (
        <label key={value}>
          <input
            type="radio"
            name="kind"
            value={value}
            checked={kind === value}
            onChange={() => onKind(value)}
          />
          <span>
            <b>{title}</b>: {meaning}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Segment(props: {
  texts: Texts;
  checked: SegmentChecked;
  onChange: (part: Texts) => void;
}) {
  const { texts, checked, onChange } = props;
  return (
    <>
      <h2>Numbers</h2>
      <p>
        Start, delta and remainder never change; max can only grow. An empty field has the default.
      </p>
      <SegmentFields
        names={SEGMENT_NAMES}
        texts={texts}
        usual={USUAL}
        errors={checked.ok ? [] : checked.errors}
        onChange={onChange}
      />
      {checked.ok && <p>The first IDs: {firstIds(checked.definition).join(", ")}</p>}
    </>
  );
}

const USUAL = segmentDefaults();
