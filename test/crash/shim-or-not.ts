/** Whether this machine can use the shim; prints one message if it can't. */
import { whyNoShim } from "./shim.ts";

const reason = whyNoShim();

if (reason !== undefined) {
  const skipped = `CRASH TESTS WITHOUT CLOCK STEPS AND DISK FAULTS: ${reason}`;
  // A test that is skipped everywhere would protect nothing.
  if (process.env.CI) throw new Error(skipped);
  console.warn(skipped);
}

export const HAS_SHIM = reason === undefined;
