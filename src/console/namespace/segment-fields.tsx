import type { FieldError } from "../../core/allowed.ts";
import { FIELD_TEXTS } from "../../core/layout/fields.ts";
import { DESCRIPTION_CHARS_MAX } from "../../core/limits.ts";
import { HintedField } from "../parts/hinted-field.tsx";
import { errorOf, type Texts } from "./texts.ts";

type SegmentName = "step" | "start" | "max" | "delta" | "remainder" | "description";

/** A field for each of `names`. */
export function SegmentFields(props: {
  names: readonly SegmentName[];
  texts: Texts;
  /** The values of empty fields. */
  usual: Texts;
  errors: readonly FieldError[];
  onChange: (part: Texts) => unknown;
}) {
  const { names, texts, usual, errors, onChange } = props;
  return (
    <div class="fields">
      {names.map((name) => (
        <HintedField
          key={name}
          label={name.replace(/^./, (letter) => letter.toUpperCase())}
          value={texts[name] ?? ""}
          placeholder={usual[name] ?? ""}
          problem={errorOf(errors, name)}
          hint={name === "description" ? DESCRIPTION : `${FIELD_TEXTS[name]}.`}
          onValue={(text) => onChange({ [name]: name === "description" ? text : text.trim() })}
        />
      ))}
    </div>
  );
}

const DESCRIPTION = `A note for people, at most ${DESCRIPTION_CHARS_MAX} characters.`;
