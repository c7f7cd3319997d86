import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { isSendable, savedKey, saveKey, useKeyRequired, useSavedKey } from "../session.ts";
import { Labelled, textIn } from "./field.tsx";
import { Problem, WrongField } from "./problem.tsx";

const PROBLEM_ID = "key-problem";

/**
 * The button for the key of this tab, with its dialog. There is none if access is open. The dialog opens by itself the
 * first time that the service requires a key. The key is not shown again.
 */
export function KeyForm() {
  const key = useSavedKey();
  const isRequired = useKeyRequired();
  const dialog = useRef<HTMLDialogElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (isRequired && savedKey() === "") dialog.current?.showModal();
  }, [isRequired]);
  if (!isRequired) return null;
  return (
    <div class="key">
      <button type="button" ref={button} onClick={() => dialog.current?.showModal()}>
        {key === "" ? "Enter API key" : "API key is set"}
      </button>
      <dialog
        ref={dialog}
        aria-labelledby="key-title"
        // A dialog that opened by itself has no control to return to.
        onClose={() => button.current?.focus()}
      >
        <KeyFields hasKey={key !== ""} onDone={() => dialog.current?.close()} />
      </dialog>
    </div>
  );
}

function KeyFields({ hasKey, onDone }: { hasKey: boolean; onDone: () => void }) {
  const [text, setText] = useState("");
  const [error, setError] = useState<WrongField | undefined>(undefined);
  const use = (event: Event): void => {
    event.preventDefault();
    const given = text.trim();
    if (!isSendable(given)) {
      setError(new WrongField("API key", "A key has only letters, digits and . _ ~ + / -"));
      return;
    }
    end(given);
  };
  const end = (next: string): void => {
    setText("");
    setError(undefined);
    onDone();
    saveKey(next);
  };
  return (
    <form onSubmit={use}>
      <h2 id="key-title">This service requires a key</h2>
      <p>The key stays in this tab, until you close the tab or forget the key.</p>
      <Labelled label="API key">
        <input
          type="password"
          autocomplete="off"
          value={text}
          aria-invalid={error ? "true" : "false"}
          {...(error && { "aria-describedby": PROBLEM_ID })}
          onInput={(event: Event) => setText(textIn(event))}
        />
      </Labelled>
      <Problem id={PROBLEM_ID} error={error} />
      <div class="buttons">
        <button type="submit">Use this key</button>
        {hasKey && (
          <button type="button" onClick={() => end("")}>
            Forget the key
          </button>
        )}
        <button type="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  );
}
