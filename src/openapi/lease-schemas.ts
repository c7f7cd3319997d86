import { layout, list, object, policy, type Schemas, text, whole } from "./shapes.ts";

/** Response bodies of worker-ID leases. */
export const LEASE_SCHEMAS: Schemas = {
  Lease: object({
    namespace: text,
    worker: whole,
    token: text,
    holder: text,
    ttlMs: whole,
    notBefore: {
      ...whole,
      description: "Start of the first tick that the holder may use, in unix ms",
    },
    notAfter: { ...whole, description: "Start of the first tick after the lease, in unix ms" },
    renewAfter: { ...whole, description: "Time to renew the lease, in unix ms" },
    now: { ...whole, description: "The lease desk's clock, in unix ms" },
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
              description: "The id of the API key that owns the lease; only with the scope admin",
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
