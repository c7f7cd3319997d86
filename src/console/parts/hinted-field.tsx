import type { RefObject } from "preact";
import { useId } from "preact/hooks";
import { Labelled, textIn } from "./field.tsx";

/** A labelled text field with a hint below it, and with its problem, if it has one. */
export function HintedField(props: {
  label: string;
  value: string;
  onValue: (value: string) => unknown;
  hint: string;
  placeholder?: string;
  problem?: string | undefined;
  field?: RefObject<HTMLInputElement | null>;
}) {
  const { label, value, onValue, hint, placeholder = "", problem, field } = props;
  const id = useId();
  return (
    <div class="hinted">
      <Labelled label={label}>
        <input
          type="text"
          value={value}
          placeholder={placeholder}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={problem === undefined ? "false" : "true"}
          aria-describedby={problem === undefined ? `${id}-hint` : `${id}-problem`}
          {...(field && { ref: field })}
          onInput={(event: Event) => onValue(textIn(event))}
        />
      </Labelled>
      {problem !== undefined && (
        <p class="problem" role="alert" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      <small class="hint" id={`${id}-hint`}>
        {hint}
      </small>
    </div>
  );
}
