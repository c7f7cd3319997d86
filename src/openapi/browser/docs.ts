/** The script of the reference. The page is complete without it. */
import { closeAfterChoice, followReading } from "./contents.ts";
import { addCopyButtons, showOrigin } from "./examples.ts";
import { enableSearch } from "./search-field.ts";

enableSearch();
closeAfterChoice();
followReading();
showOrigin();
addCopyButtons();
// On a narrow page the header scrolls: its last link is this page's.
for (const sections of document.querySelectorAll("header nav")) {
  sections.scrollLeft = sections.scrollWidth;
}
