/** Lines of code, which scroll by themselves, with the keyboard too; `label`: what they are, for those who cannot see. */
export function Code({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <pre tabindex={0} role="group" aria-label={label}>
      {text}
    </pre>
  );
}
