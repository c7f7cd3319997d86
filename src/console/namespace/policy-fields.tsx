import type { FieldError } from "../../core/allowed.ts";
import { FIELD_TEXTS } from "../../core/layout/fields.ts";
import type { NamespacePolicy } from "../../core/layout/policy.ts";
import { HintedField } from "../parts/hinted-field.tsx";
import { errorOf, POLICY_NAMES, type Texts, valueWords } from "./texts.ts";

/** A field for each part of a policy. An empty one means the preset's value, which it shows. */
export function PolicyFields(props: {
  texts: Texts;
  /** The preset's values, if the layout is valid. */
  usual: NamespacePolicy | undefined;
  errors: readonly FieldError[];
  onChange: (part: Texts) => unknown;
}) {
  const { texts, usual, errors, onChange } = props;
  return (
    <div class="fields">
      {POLICY_NAMES.map((name) => (
        <HintedField
          key={name}
          label={name}
          value={texts[name] ?? ""}
          placeholder={usual ? `${usual[name]}` : ""}
          problem={errorOf(errors, name)}
          hint={hintOf(FIELD_TEXTS[name], usual && valueWords(name, `${usual[name]}`))}
          onValue={(text) => onChange({ [name]: text.trim() })}
        />
      ))}
    </div>
  );
}

function hintOf(meaning: string, usual: string | undefined): string {
  return usual === undefined ? `${meaning}.` : `${meaning}. Preset: ${usual}.`;
}
