import { useLayoutEffect, useRef } from "preact/hooks";

/** The result of an action. It takes the focus if the control that had it is gone, such as a button in a removed row. */
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
