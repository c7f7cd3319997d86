/** Pagination: the parameters, and the cursor of the next page. */
import * as v from "valibot";
import { LIST_PAGE_MAX } from "../../service/limits.ts";
import { wholeText } from "../../service/schema.ts";

const cursorRule = "must be the cursor of the previous page";

/** The parameters `limit` and `cursor`. `cursor` is the format of the list's cursors. */
export function pageQuery(cursor: RegExp) {
  return {
    limit: v.optional(wholeText(1, LIST_PAGE_MAX)),
    cursor: v.optional(v.pipe(v.string(cursorRule), v.regex(cursor, cursorRule))),
  };
}

/** Cuts a list of up to `limit` + 1 items to one page. `next` has a cursor if more items follow. */
export function pageOf<Item>(
  found: readonly Item[],
  limit: number,
  cursorOf: (last: Item) => string,
): { readonly shown: readonly Item[]; readonly next: { readonly cursor?: string } } {
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  return { shown, next: last === undefined ? {} : { cursor: cursorOf(last) } };
}
