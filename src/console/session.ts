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

let isRequired = false;

/** Records that the service rejected a request without a valid key. */
export function noteKeyRequired(): void {
  if (isRequired) return;
  isRequired = true;
  changes.dispatchEvent(new Event(CHANGED));
}

/** A value of this tab, followed through all changes. `read` must be the same function each time. */
function useFollowed<Value>(read: () => Value): Value {
  const [value, setValue] = useState(read);
  // A layout effect: a later one could miss a change.
  useLayoutEffect(() => {
    const follow = (): void => setValue(read);
    follow();
    changes.addEventListener(CHANGED, follow);
    return () => changes.removeEventListener(CHANGED, follow);
  }, []);
  return value;
}

/** The current key of this tab. */
export function useSavedKey(): string {
  return useFollowed(savedKey);
}

/** Whether the service is known to require keys: this tab has one, or the service asked for one. */
export function useKeyRequired(): boolean {
  return useFollowed(requiresKey);
}

function requiresKey(): boolean {
  // Also once the key is forgotten.
  isRequired ||= savedKey() !== "";
  return isRequired;
}
