/** What the figures were measured with. */
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { arch, cpus, platform, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as v from "valibot";
import { WORKERD_VERSION } from "./workerd-process.ts";

export const BUNDLE_PATH = fileURLToPath(new URL("../../dist/worker/index.js", import.meta.url));
const PackageJson = v.object({ version: v.string() });

export interface Environment {
  readonly node: string;
  readonly workerd: string;
  readonly hono: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
}

export function environment(): Environment {
  const cores = cpus();
  return {
    node: process.versions.node,
    workerd: WORKERD_VERSION,
    hono: versionOf("hono"),
    platform: `${platform()} ${arch()}`,
    cpu: cores[0]?.model.trim() ?? "unknown",
    cores: cores.length,
    memoryBytes: totalmem(),
  };
}

function versionOf(packageName: string): string {
  const file = findPackageJSON(packageName, import.meta.url);
  if (file === undefined) throw new Error(`${packageName} is not installed`);
  return v.parse(PackageJson, JSON.parse(readFileSync(file, "utf8"))).version;
}

/** The production build, as a deployment counts it. */
export function bundleGzippedBytes(): number {
  return gzipSync(readFileSync(BUNDLE_PATH)).length;
}
