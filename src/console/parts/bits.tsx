/** A picture of an ID's bits, by field. */
import type { FieldName, Layout } from "../../core/layout.ts";

/** `id` undefined: the layout alone. */
export function Bits({ layout, id }: { layout: Layout; id?: bigint }) {
  return (
    <div class="bits" aria-hidden="true">
      {layout.fields.map(({ name, bits, shift }) => (
        <div class={`field ${name}`} key={name}>
          <span class="bits-of">
            {digitsOf(id, shift, bits).map((digit, place) => (
              <i key={`${name}${place}`} class={digit === "1" ? "one" : ""}>
                {digit}
              </i>
            ))}
          </span>
          <span class="name">
            {name} <small>{bits === 1 ? "1 bit" : `${bits} bits`}</small>
            {id !== undefined && <b> {`${BigInt.asUintN(bits, id >> BigInt(shift))}`}</b>}
          </span>
        </div>
      ))}
    </div>
  );
}

function digitsOf(id: bigint | undefined, shift: number, bits: number): string[] {
  if (id === undefined) return Array.from({ length: bits }, () => "");
  return [
    ...BigInt.asUintN(bits, id >> BigInt(shift))
      .toString(2)
      .padStart(bits, "0"),
  ];
}

/** What a field says. */
export const FIELD_MEANS: Readonly<Record<FieldName, string>> = {
  timestamp: "ticks since the epoch",
  datacenter: "upper part of the worker ID",
  worker: "who issued it",
  lane: "the worker's number line",
  sequence: "place within the tick",
};
