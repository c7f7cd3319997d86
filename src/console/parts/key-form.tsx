import { useState } from "hono/jsx/dom";
import { savedKey, saveKey } from "../session.ts";
import { textIn } from "./field.tsx";

/** Where the key of this tab is set and forgotten. Its text is not shown again. */
export function KeyForm() {
  const [hasKey, setHasKey] = useState(savedKey() !== "");
  const [text, setText] = useState("");
  const keep = (key: string): void => {
    saveKey(key);
    setHasKey(key !== "");
    setText("");
    // What is shown was asked for with another key.
    dispatchEvent(new HashChangeEvent("hashchange"));
  };
  if (hasKey) {
    return (
      <div class="key">
        <span>A key is kept in this tab.</span>
        <button type="button" class="small" onClick={() => keep("")}>
          Forget it
        </button>
      </div>
    );
  }
  return (
    <form
      class="key"
      onSubmit={(event: Event) => {
        event.preventDefault();
        keep(text.trim());
      }}
    >
      <input
        type="password"
        autocomplete="off"
        aria-label="API key"
        placeholder="API key, where one is needed"
        value={text}
        onInput={(event: Event) => setText(textIn(event))}
      />
      <button type="submit" class="small">
        Use
      </button>
    </form>
  );
}
