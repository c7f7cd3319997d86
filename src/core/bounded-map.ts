/** Sets an entry of a map of at most `most` entries. Evicts the oldest entry if the map is full. */
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
