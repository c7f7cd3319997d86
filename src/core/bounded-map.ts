/** Sets an entry of a map that holds `most` at most: the oldest makes room. Plain data, so that it may outlive a request. */
export function setBounded<Value>(
  entries: Map<string, Value>,
  key: string,
  value: Value,
  most: number,
): void {
  const [oldest] = entries.keys();
  if (entries.size >= most && oldest !== undefined && !entries.has(key)) entries.delete(oldest);
  entries.set(key, value);
}
