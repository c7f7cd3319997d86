/** Addresses of the console: `#/section/part/…?name=value`, so that a view can be shared. */
import { useLayoutEffect, useState } from "preact/hooks";

export interface Route {
  readonly section: string;
  /** The parts of the path after the section, decoded. */
  readonly parts: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Parses the part of an address after `#`. Invalid escapes stay as they are. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = splitOnce(hash.replace(/^#?\/?/, ""), "?");
  const [section = "", ...parts] = path.split("/").map(decoded);
  return { section, parts, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a view, with its `#`. */
export function addressOf(
  section: string,
  parts: readonly string[] = [],
  query: Readonly<Record<string, string>> = {},
): string {
  // A lone surrogate can't be escaped: encodeURIComponent would throw.
  const path = [section, ...parts].map((part) => encodeURIComponent(part.toWellFormed())).join("/");
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
  return given.size > 0 ? `#/${path}?${given}` : `#/${path}`;
}

/** Shows an address without a step in the history, while a form is filled in. */
export function replaceAddress(address: string): void {
  history.replaceState(null, "", address);
}

/** A visit of a view: by a link, a step in the history, or a typed address. */
export interface Visit {
  readonly route: Route;
  /** 0 for the first view of the page. */
  readonly number: number;
}

/** The view of the current address. */
export function useVisit(): Visit {
  const [visit, setVisit] = useState<Visit>(() => ({
    route: parseRoute(location.hash),
    number: 0,
  }));
  // A layout effect: a later one could miss a change of the address.
  useLayoutEffect(() => {
    const follow = (): void => {
      const route = parseRoute(location.hash);
      setVisit(({ number }) => ({ route, number: number + 1 }));
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return visit;
}

function splitOnce(text: string, at: string): string[] {
  const place = text.indexOf(at);
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + 1)];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
