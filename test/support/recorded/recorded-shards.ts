import { env } from "cloudflare:workers";
import type { Shards } from "../../../src/service/calls/shards.ts";

/** A call of a shard, as the caller made it. */
export interface GrantCall {
  readonly namespace: string;
  readonly shard: number;
  readonly lineSpec: string;
  readonly count: number;
  readonly strict: boolean;
  readonly waitLeftMs: number;
  readonly callerNowMs: number;
  readonly instance: number;
  readonly leastMs: number;
}

/** Shards, and a record of their calls: the real ones, or others that answer as `grant` does. */
export function recordedShards(grant: (call: GrantCall) => Promise<string> = realGrant) {
  const calls: GrantCall[] = [];
  const getByName = (name: string) => {
    const [namespace = "", shard] = name.split("/");
    const stub = {
      grant: (
        lineSpec: string,
        count: number,
        strict: boolean,
        waitLeftMs: number,
        callerNowMs: number,
        instance: number,
        leastMs: number,
      ): Promise<string> => {
        const call = {
          namespace,
          shard: Number(shard),
          lineSpec,
          count,
          strict,
          waitLeftMs,
          callerNowMs,
          instance,
          leastMs,
        };
        calls.push(call);
        return grant(call);
      },
    };
    return stub;
  };
  // Only what callers use of the binding.
  return { shards: { getByName } as unknown as Shards, calls };
}

/** The answer of the object itself. */
export async function realGrant(call: GrantCall): Promise<string> {
  const { namespace, shard, lineSpec, count, strict, waitLeftMs, callerNowMs } = call;
  const stub = env.SHARD.getByName(`${namespace}/${shard}`);
  const { instance, leastMs } = call;
  return await stub.grant(lineSpec, count, strict, waitLeftMs, callerNowMs, instance, leastMs);
}
