import type { Child } from "hono/jsx";

/** A labelled control, which is its child. */
export function Labelled({ label, children }: { label: string; children: Child }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label>
      <span>{label}</span>
      {children}
    </label>
  );
}

/** What stands in the control that an event is from. */
export function textIn(event: Event): string {
  const { target } = event;
  const isControl =
    target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement;
  return isControl ? target.value : "";
}

/** A labelled text. */
export function TextField(props: {
  label: string;
  value: string;
  onValue: (value: string) => unknown;
  type?: "number" | "text";
  placeholder?: string;
  invalid?: boolean;
  list?: string;
  onFocus?: () => void;
}) {
  const { label, value, onValue, type = "text", placeholder = "", invalid = false } = props;
  const { list, onFocus } = props;
  return (
    <Labelled label={label}>
      <input
        type={type}
        value={value}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={invalid ? "true" : "false"}
        {...(list !== undefined && { list })}
        {...(onFocus && { onFocus })}
        onInput={(event: Event) => onValue(textIn(event))}
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
