import { useEffect, useRef, useState } from "hono/jsx/dom";

/** A button that asks once more before it does something that cannot be undone. `what`: of which thing, for those who cannot see it. */
export function Confirm(props: {
  label: string;
  question: string;
  what: string;
  onConfirm: () => void;
}) {
  const { label, question, what, onConfirm } = props;
  const [asks, setAsks] = useState<boolean | undefined>(undefined);
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button that had the focus is gone.
    if (asks !== undefined) first.current?.focus();
  }, [asks]);
  if (!asks) {
    return (
      <button
        type="button"
        class="small"
        ref={first}
        aria-label={`${label} ${what}`}
        onClick={() => setAsks(true)}
      >
        {label}
      </button>
    );
  }
  const confirm = (): void => {
    setAsks(false);
    onConfirm();
  };
  return (
    <span class="confirm">
      {question}{" "}
      <button
        type="button"
        class="small"
        ref={first}
        aria-label={`No, do not ${label.toLowerCase()} ${what}`}
        onClick={() => setAsks(false)}
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
