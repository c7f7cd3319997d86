/** The API key of this tab, kept in its session storage only. */
import { useLayoutEffect, useState } from "preact/hooks";

const KEY = "edgeflake-key";
const CHANGED = "change";
const changes = new EventTarget();

/** The syntax of a bearer token (RFC 6750). */
const SENDABLE = /^[A-Za-z0-9._~+/-]+=*$/;

/** Whether a text can be sent as a key. */
export function isSendable(key: string): boolean {
  return SENDABLE.test(key);
}

/** The key of this tab; empty if none is kept that can be sent, or storage is disabled. */
export function savedKey(): string {
  try {
    const key = sessionStorage.getItem(KEY) ?? "";
    return isSendable(key) ? key : "";
  } catch {
    return "";
  }
}

/** Replaces the key; an empty text removes it. */
export function saveKey(key: string): void {
  try {
    if (key === "") sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, key);
  } catch {
    // Storage is disabled: the service will ask for a key again.
  }
  changes.dispatchEvent(new Event(CHANGED));
}

/** The current key of this tab. */
export function useSavedKey(): string {
  const [key, setKey] = useState(savedKey);
  // A layout effect: a later one might start after the component is gone, and never end.
  useLayoutEffect(() => {
    const follow = (): void => setKey(savedKey());
    changes.addEventListener(CHANGED, follow);
    return () => changes.removeEventListener(CHANGED, follow);
  }, []);
  return key;
}
