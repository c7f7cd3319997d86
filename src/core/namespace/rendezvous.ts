/**
 * Selects the shard of a key by rendezvous hashing (Thaler and Ravishankar, 1998): each shard scores the key, and the
 * highest score wins.
 * FNV-1a over the UTF-8 bytes, then MurmurHash3's 32-bit finalizer per shard.
 * The result is part of the contract of `key=`: a change would break the order of a key's IDs.
 */
export function shardOfKey(keyBytes: Uint8Array, shards: number): number {
  const keyHash = fnv1a(keyBytes);
  let best = 0;
  let bestScore = -1;
  for (let shard = 0; shard < shards; shard += 1) {
    const score = finalize(keyHash ^ finalize(shard + 1));
    if (score > bestScore) {
      best = shard;
      bestScore = score;
    }
  }
  return best;
}

function fnv1a(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

function finalize(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
