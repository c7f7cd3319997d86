import type { ComponentChildren } from "preact";

/** A label around its control. */
export function Labelled({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label>
      <span>{label}</span>
      {children}
    </label>
  );
}

/** The text of the control that an event is from. */
export function textIn(event: Event): string {
  const { target } = event;
  const isControl =
    target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement;
  return isControl ? target.value : "";
}

/** A labelled text field. */
export function TextField(props: {
  label: string;
  value: string;
  onValue: (value: string) => unknown;
  type?: "number" | "text";
  placeholder?: string;
  /** The id of the element that describes its problem, if it has one. */
  problem?: string | undefined;
  list?: string;
  onFocus?: () => void;
}) {
  const { label, value, onValue, type = "text", placeholder = "" } = props;
  const { problem, list, onFocus } = props;
  return (
    <Labelled label={label}>
      <input
        type={type}
        value={value}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={problem === undefined ? "false" : "true"}
        {...(problem !== undefined && { "aria-describedby": problem })}
        {...(list !== undefined && { list })}
        {...(onFocus && { onFocus })}
        onInput={(event: Event) => onValue(textIn(event))}
      />
    </Labelled>
  );
}

/** A labelled slider; `said`: its value in words. */
export function Slider(props: {
  label: string;
  value: number;
  said: string;
  least: number;
  most: number;
  onValue: (value: number) => unknown;
}) {
  const { label, value, said, least, most, onValue } = props;
  return (
    <Labelled label={`${label}: ${said}`}>
      <input
        type="range"
        min={least}
        max={most}
        value={value}
        aria-label={label}
        aria-valuetext={said}
        onInput={(event: Event) => onValue(Number(textIn(event)))}
      />
    </Labelled>
  );
}

/** A labelled choice. */
export function Choice(props: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onValue: (value: string) => unknown;
}) {
  const { label, value, options, onValue } = props;
  return (
    <Labelled label={label}>
      <select onChange={(event: Event) => onValue(textIn(event))}>
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={one === value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}
