import { NAMESPACE_NAME } from "../core/namespace/namespace.ts";

/** A shard's object is named `{namespace}/{workerId}`, the worker ID in plain decimal. */
const SHARD_NAME = /^(.*)\/(0|[1-9]\d{0,6})$/;

/** The worker ID in a shard's name. Throws RangeError for any other name. */
export function workerIdOf(name: string | undefined): number {
  const [, namespace = "", digits] = SHARD_NAME.exec(name ?? "") ?? [];
  if (digits === undefined || !NAMESPACE_NAME.test(namespace)) {
    throw new RangeError(`a shard is named {namespace}/{workerId}, not ${JSON.stringify(name)}`);
  }
  return Number(digits);
}
