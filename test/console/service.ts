import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import { ServiceProcess } from "../support/processes/service-process.ts";

/** The administrator's key, if the service requires keys. */
export const ADMIN_KEY = "the-console-tests-admin-key-0123456789";

/** The service for the tests of one file, with its data. */
export class TestService {
  readonly #access: "keys" | "open";
  #folder = "";
  #process: ServiceProcess | undefined;

  private constructor(access: "keys" | "open") {
    this.#access = access;
  }

  /** Started before the first test, stopped after the last. */
  static ofFile(access: "keys" | "open"): TestService {
    const one = new TestService(access);
    beforeAll(() => {
      one.#folder = mkdtempSync(path.join(tmpdir(), "edgeflake-console-"));
      return one.start();
    });
    afterAll(async () => {
      if (one.#process?.isRunning()) await one.#process.crash();
      rmSync(one.#folder, { recursive: true, force: true });
    });
    return one;
  }

  /** Starts it; `port` 0: any free one. */
  async start(port = 0): Promise<void> {
    const variables = { ACCESS: this.#access, ADMIN_KEY };
    this.#process = await ServiceProcess.start(this.#folder, variables, { port });
  }

  async crash(): Promise<void> {
    await this.#process?.crash();
  }

  get url(): string {
    if (!this.#process) throw new Error("the service is not started");
    return this.#process.url;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Sends a request outside of the page, as administrator. Throws if the service rejects it. */
  async ask(path: string, method = "GET", body?: unknown): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? {} : JSON.parse(text);
  }
}
