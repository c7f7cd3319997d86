/** A picture of an ID's bits, by field. */
import type { FieldName, Layout } from "../../core/layout/layout.ts";

/** The bits of an ID, or of the layout alone. */
export function Bits({ layout, id }: { layout: Layout; id?: bigint }) {
  return (
    <div class="bits" role="img" aria-label={wordsOf(layout, id)}>
      {layout.fields.map(({ name, bits, shift }) => (
        <div class={`field ${name}`} key={name}>
          <span class="bits-of">
            {digitsOf(id, shift, bits).map((digit, place) => (
              <i key={`${name}${place}`} class={digit === "1" ? "set" : ""}>
                {digit}
              </i>
            ))}
          </span>
          <span class="name">
            {name} <small>{widthOf(bits)}</small>
            {id !== undefined && <b> {numberIn(id, shift, bits)}</b>}
          </span>
        </div>
      ))}
    </div>
  );
}

/** The picture in words, for screen readers. */
function wordsOf({ fields, totalBits }: Layout, id: bigint | undefined): string {
  const each = fields.map(({ name, bits, shift }) => {
    const value = id === undefined ? "" : ` ${numberIn(id, shift, bits)}`;
    return `${name}${value} in ${widthOf(bits)}`;
  });
  return `${widthOf(totalBits)}, from the most significant: ${each.join(", ")}`;
}

function widthOf(bits: number): string {
  return bits === 1 ? "1 bit" : `${bits} bits`;
}

function numberIn(id: bigint, shift: number, bits: number): string {
  return `${BigInt.asUintN(bits, id >> BigInt(shift))}`;
}

function digitsOf(id: bigint | undefined, shift: number, bits: number): string[] {
  if (id === undefined) return Array.from({ length: bits }, () => "");
  return [
    ...BigInt.asUintN(bits, id >> BigInt(shift))
      .toString(2)
      .padStart(bits, "0"),
  ];
}

/** The meaning of each field. */
export const FIELD_MEANS: Readonly<Record<FieldName, string>> = {
  timestamp: "ticks since the epoch",
  datacenter: "upper part of the worker ID",
  worker: "the shard or lease that issued it",
  lane: "the worker's number line",
  sequence: "place within the tick",
};
