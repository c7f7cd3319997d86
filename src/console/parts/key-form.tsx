import { useLayoutEffect, useRef } from "preact/hooks";
import { isSendable, saveKey, useSavedKey } from "../session.ts";
import { textIn } from "./field.tsx";
import { useParts } from "./parts.ts";

/** The form that sets and forgets the key of this tab. The key is not shown again. */
export function KeyForm() {
  const key = useSavedKey();
  const form = useParts({ text: "", isWrong: false });
  const { text, isWrong } = form.shown;
  const field = useRef<HTMLInputElement>(null);
  const forget = useRef<HTMLButtonElement>(null);
  const had = useRef(key !== "");
  useLayoutEffect(() => {
    const has = key !== "";
    if (has === had.current) return;
    had.current = has;
    // The pressed button is gone.
    if (has) forget.current?.focus();
    else field.current?.focus();
  }, [key]);
  if (key !== "") {
    return (
      <div class="key">
        <span id="key-kept">A key is kept in this tab.</span>
        <button
          type="button"
          class="small"
          ref={forget}
          aria-describedby="key-kept"
          onClick={() => saveKey("")}
        >
          Forget it
        </button>
      </div>
    );
  }
  const keep = (event: Event): void => {
    event.preventDefault();
    const given = form.latest().text.trim();
    const isWrongNow = !isSendable(given);
    form.change({ isWrong: isWrongNow });
    if (isWrongNow) return;
    form.change({ text: "" });
    saveKey(given);
  };
  return (
    <form class="key" onSubmit={keep}>
      <input
        type="password"
        autocomplete="off"
        aria-label="API key"
        placeholder="API key"
        value={text}
        ref={field}
        aria-invalid={isWrong ? "true" : "false"}
        {...(isWrong && { "aria-describedby": "key-problem" })}
        onInput={(event: Event) => form.change({ text: textIn(event) })}
      />
      <button type="submit">Use</button>
      {isWrong && (
        <span class="problem" role="alert" id="key-problem">
          A key has only letters, digits and . _ ~ + / -
        </span>
      )}
    </form>
  );
}
