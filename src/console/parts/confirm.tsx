import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** A button that asks for confirmation before it does something permanent. `what`: its object, for screen readers. */
export function Confirm(props: {
  label: string;
  question: string;
  what: string;
  onConfirm: () => void;
}) {
  const { label, question, what, onConfirm } = props;
  const [isOpen, setOpen] = useState<boolean | undefined>(undefined);
  const first = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (isOpen === undefined) return;
    // The focused button is gone, and the question is wider.
    first.current?.closest(".confirm")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    first.current?.focus({ preventScroll: isOpen });
  }, [isOpen]);
  if (!isOpen) {
    return (
      <button
        type="button"
        class="small"
        ref={first}
        aria-label={`${label} ${what}`}
        onClick={() => setOpen(true)}
      >
        {label}
      </button>
    );
  }
  const confirm = (): void => {
    setOpen(false);
    onConfirm();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a sentence
    <span
      class="confirm"
      role="group"
      aria-label={question}
      onKeyDown={(event: KeyboardEvent) => event.key === "Escape" && setOpen(false)}
    >
      {question}{" "}
      <button
        type="button"
        class="small"
        ref={first}
        aria-label={`No, do not ${label.toLowerCase()} ${what}`}
        onClick={() => setOpen(false)}
      >
        No
      </button>{" "}
      <button
        type="button"
        class="small bad"
        aria-label={`Yes, ${label.toLowerCase()} ${what}`}
        onClick={confirm}
      >
        Yes, {label.toLowerCase()}
      </button>
    </span>
  );
}
