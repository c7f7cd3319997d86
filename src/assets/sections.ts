/** The sections of the console in the order of the header, which the reference shows too. */
export const SECTIONS = [
  { name: "overview", title: "Overview", href: "/#/" },
  { name: "request", title: "Request IDs", href: "/#/request" },
  { name: "decode", title: "Decode", href: "/#/decode" },
  { name: "range", title: "Range", href: "/#/range" },
  { name: "namespaces", title: "Namespaces", href: "/#/namespaces" },
  { name: "shards", title: "Shards", href: "/#/shards" },
  { name: "leases", title: "Leases", href: "/#/leases" },
  { name: "keys", title: "Keys", href: "/#/keys" },
] as const;
