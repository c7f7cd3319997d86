import { SERVER_TEXT_MAX } from "./limits.ts";

/** A server's text as it may be shown: short, on one line, and with nothing that a terminal would obey. */
export function shown(text: string): string {
  const start = text.slice(0, SERVER_TEXT_MAX + 1).replace(/[^\x20-\x7e]/g, "?");
  return start.length > SERVER_TEXT_MAX ? `${start.slice(0, SERVER_TEXT_MAX)}...` : start;
}
