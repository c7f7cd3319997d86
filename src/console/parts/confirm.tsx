import { useState } from "hono/jsx/dom";

/** A button that asks once more before it does something that cannot be undone. `what`: of which thing, for those who cannot see it. */
export function Confirm(props: {
  label: string;
  question: string;
  what: string;
  onConfirm: () => void;
}) {
  const { label, question, what, onConfirm } = props;
  const [asks, setAsks] = useState(false);
  if (!asks) {
    return (
      <button
        type="button"
        class="small"
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
    <span>
      {question}{" "}
      <button type="button" class="small bad" onClick={confirm}>
        Yes, {label.toLowerCase()}
      </button>{" "}
      <button type="button" class="small" onClick={() => setAsks(false)}>
        No
      </button>
    </span>
  );
}
