import { useState } from "preact/hooks";

/** How long the result is shown, in ms. */
const SAID_MS = 1500;

/** A button that copies a text. `what`: the text's name for screen readers. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [said, setSaid] = useState("");
  const copy = (): void => {
    void copied(text).then((isCopied) => {
      setSaid(isCopied ? "Copied" : "Not allowed");
      setTimeout(() => setSaid(""), SAID_MS);
    });
  };
  return (
    // One root (see SingleRoot); a span may be inside a paragraph.
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
    // The clipboard API needs HTTPS; the old command does not.
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
