/** Lines of code that scroll on their own, also by keyboard. `label`: their name for screen readers. */
export function Code({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <pre tabindex={0} role="group" aria-label={label}>
      {text}
    </pre>
  );
}
