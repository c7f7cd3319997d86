/** Lists in pages: the parameters, and the cursor of the next page. */
import * as v from "valibot";
import { LIST_PAGE_MAX } from "../../service/limits.ts";
import { wholeText } from "../../service/schema.ts";

const cursorRule = "must be the cursor of the previous page";

/** `limit` and `cursor`, the latter of the shape that this list's own cursors have. */
export function pageQuery(cursor: RegExp) {
  return {
    limit: v.optional(wholeText(1, LIST_PAGE_MAX)),
    cursor: v.optional(v.pipe(v.string(cursorRule), v.regex(cursor, cursorRule))),
  };
}

/** Cuts what was asked for one longer than `limit`; the cursor is there where there is more. */
export function pageOf<Item>(
  found: readonly Item[],
  limit: number,
  cursorOf: (last: Item) => string,
): { readonly shown: readonly Item[]; readonly next: { readonly cursor?: string } } {
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  return { shown, next: last === undefined ? {} : { cursor: cursorOf(last) } };
}
