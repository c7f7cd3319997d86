/** Short titles of operations, by operationId without `ByPost`: headings and contents of the reference. */
const TITLES: Readonly<Record<string, string>> = {
  getIds: "Issue IDs",
  postIds: "Issue IDs",
  getBlocks: "Issue blocks",
  postBlocks: "Issue blocks",
  decodeId: "Decode an ID",
  getRange: "Get an ID range",
  listShards: "List shards",
  getShard: "Get a shard",
  listNamespaces: "List namespaces",
  getNamespace: "Get a namespace",
  putNamespace: "Create or replace a namespace",
  patchNamespace: "Change a namespace",
  retireNamespace: "Retire a namespace",
  acquireLease: "Acquire a lease",
  listLeases: "List leases",
  renewLease: "Renew a lease",
  releaseLease: "Release a lease",
  createKey: "Create an API key",
  listKeys: "List API keys",
  revokeKey: "Revoke an API key",
  leafSegment: "Leaf: get a segment ID",
  leafSnowflake: "Leaf: get a snowflake ID",
  leafDecode: "Leaf: decode an ID",
  tinyNextId: "TinyID: nextId",
  tinyNextIdSimple: "TinyID: nextIdSimple",
  tinyNextSegmentId: "TinyID: nextSegmentId",
  tinyNextSegmentIdSimple: "TinyID: nextSegmentIdSimple",
  getHealth: "Check health",
  getOpenApi: "Get the OpenAPI document",
  getConsole: "Open the console",
  getDocs: "Open the reference",
};

/** The title of an operation. Throws if it has none. */
export function titleOf(id: string): string {
  const title = TITLES[id.replace(/ByPost$/, "")];
  if (title === undefined) throw new RangeError(`operation ${id} has no title`);
  return title;
}
