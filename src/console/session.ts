/** The API key of this tab. It is kept until the tab is closed, and nowhere else. */
import { useLayoutEffect, useState } from "hono/jsx/dom";

const KEY = "edgeflake-key";
const CHANGED = "change";
const changes = new EventTarget();

/** What can be sent as a bearer token (RFC 6750). */
const SENDABLE = /^[A-Za-z0-9._~+/-]+=*$/;

/** Whether a text can be a key at all. */
export function isSendable(key: string): boolean {
  return SENDABLE.test(key);
}

/** Empty where there is none that can be sent, or where the browser keeps nothing. */
export function savedKey(): string {
  try {
    const key = sessionStorage.getItem(KEY) ?? "";
    return isSendable(key) ? key : "";
  } catch {
    return "";
  }
}

/** Keeps a key in place of the one before; an empty one forgets it. */
export function saveKey(key: string): void {
  try {
    if (key === "") sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, key);
  } catch {
    // A browser that keeps nothing: the service goes on asking for a key.
  }
  changes.dispatchEvent(new Event(CHANGED));
}

/** The key of this tab, now and whenever it changes. */
export function useSavedKey(): string {
  const [key, setKey] = useState(savedKey);
  // At once, as polled.ts does: what would start later has no end where the component is gone by then.
  useLayoutEffect(() => {
    const follow = (): void => setKey(savedKey());
    changes.addEventListener(CHANGED, follow);
    return () => changes.removeEventListener(CHANGED, follow);
  }, []);
  return key;
}
