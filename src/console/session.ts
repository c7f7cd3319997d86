/** The API key of this tab. It is kept until the tab is closed, and nowhere else. */
const KEY = "edgeflake-key";

/** Empty where there is none, or where the browser keeps nothing. */
export function savedKey(): string {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

export function saveKey(key: string): void {
  try {
    if (key === "") sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, key);
  } catch {
    // A browser that keeps nothing: the service goes on asking for a key.
  }
}
