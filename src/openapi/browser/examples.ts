/** The examples: with this service's address, and a button that copies. */

/** How long a button says that it has copied, in ms. */
const COPIED_MS = 1500;

export function showOrigin(): void {
  for (const origin of document.querySelectorAll(".origin")) origin.textContent = location.origin;
}

/** None without a secure connection: then the browser gives no clipboard. */
export function addCopyButtons(): void {
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (!clipboard) return;
  for (const figure of document.querySelectorAll("figure")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "small";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await clipboard.writeText(figure.querySelector("pre")?.textContent ?? "");
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = "Copy";
      }, COPIED_MS);
    });
    figure.querySelector("figcaption")?.append(button);
  }
}
