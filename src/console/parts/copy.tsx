import { useState } from "hono/jsx/dom";

/** How long it says that it has copied, in ms. */
const SAID_MS = 1500;

/** A button that copies a text; `what`: its name for those who cannot see it. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [said, setSaid] = useState("");
  const copy = (): void => {
    void copied(text).then((isCopied) => {
      setSaid(isCopied ? "Copied" : "Not allowed");
      setTimeout(() => setSaid(""), SAID_MS);
    });
  };
  return (
    // One root, as One says; a span may stand in a paragraph.
    <span>
      <button type="button" class="small copy" onClick={copy} aria-label={`Copy ${what}`}>
        {said || "Copy"}
      </button>
      <span role="status" class="unseen">
        {said}
      </span>
    </span>
  );
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without https there is no clipboard, but for the command of old.
    return copiedByCommand(text);
  }
}

function copiedByCommand(text: string): boolean {
  const area = document.createElement("textarea");
  const before = document.activeElement;
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
