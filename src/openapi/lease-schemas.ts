import { layout, list, object, policy, type Schemas, text, whole } from "./shapes.ts";

/** Leases of worker IDs. */
export const LEASE_SCHEMAS: Schemas = {
  Lease: object({
    namespace: text,
    worker: whole,
    token: text,
    holder: text,
    ttlMs: whole,
    notBefore: { ...whole, description: "Unix ms of the first tick that may be stamped" },
    notAfter: { ...whole, description: "Unix ms of the first tick that may not" },
    renewAfter: { ...whole, description: "Unix ms from which to renew" },
    now: { ...whole, description: "The lease desk's clock, unix ms" },
    layout,
    policy,
  }),
  Leases: object(
    {
      leases: list(
        object(
          {
            worker: whole,
            holder: text,
            owner: {
              ...text,
              description: "The id of the API key whose lease it is; only for the scope admin",
            },
            state: { enum: ["held", "expired", "released"] },
            notBefore: whole,
            notAfter: whole,
            leftMs: whole,
            restedMs: whole,
          },
          ["owner"],
        ),
      ),
      cursor: text,
    },
    ["cursor"],
  ),
};
