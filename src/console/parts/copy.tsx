import { useState } from "hono/jsx/dom";

/** How long it says that it has copied, in ms. */
const SAID_MS = 1500;

/** A button that copies a text; `what`: its name for those who cannot see it. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [said, setSaid] = useState("");
  const say = (word: string): void => {
    setSaid(word);
    setTimeout(() => setSaid(""), SAID_MS);
  };
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => say("Copied"),
      () => say("Not allowed"),
    );
  };
  return (
    <button type="button" class="small" onClick={copy} aria-label={`Copy ${what}`}>
      <span role="status">{said || "Copy"}</span>
    </button>
  );
}
