import { useLayoutEffect, useRef } from "hono/jsx/dom";

/** What was done. Where the control that did it is gone, the focus goes here: the row of what ended, say. */
export function StatusLine({ words }: { words: string }) {
  const place = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    if (words === "") return;
    const { activeElement } = document;
    const isGoing = activeElement === document.body || activeElement?.closest("td");
    if (isGoing) place.current?.focus();
  }, [words]);
  return (
    <p role="status" tabindex={-1} ref={place}>
      {words}
    </p>
  );
}
