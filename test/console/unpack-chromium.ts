/** Finds or unpacks Chromium before all tests of the console: once, not by several workers at a time. */
import chromium from "@sparticuz/chromium";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the browser's binary. */
    chromium: string;
  }
}

export default async function provideChromium({ provide }: TestProject): Promise<void> {
  provide("chromium", process.env.CHROMIUM_PATH ?? (await chromium.executablePath()));
}
