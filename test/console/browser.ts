/** A real browser, one for each file of tests, and what its pages did that they must not. */
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";

/** Longer than anything here takes: a page that hangs says where. */
const STEP_MAX_MS = 20_000;
/** A browser that does not end by then is killed. */
const CLOSE_MAX_MS = 5000;

export interface View {
  readonly colorScheme?: "light" | "dark";
  readonly width?: number;
  /** An API key that the tab has already. */
  readonly key?: string;
}

/** What pages did: all of it is told at the end of the test. */
interface Deeds {
  readonly requests: string[];
  readonly violations: string[];
  readonly errors: string[];
  readonly dialogs: string[];
}

export class TestBrowser {
  #browser: Browser | undefined;
  #deeds: Deeds = newDeeds();

  /** A browser for the tests of this file; after each of them its pages are closed and judged. */
  static ofFile(): TestBrowser {
    const one = new TestBrowser();
    beforeAll(async () => {
      // One process fewer (--single-process) would hang when a context closes.
      one.#browser = await chromium.launch({
        executablePath: inject("chromium"),
        args: ["--no-sandbox"],
      });
    });
    afterEach(async () => {
      for (const context of one.#browser?.contexts() ?? []) await context.close();
      const { violations, errors, dialogs } = one.#deeds;
      const requests = one.#deeds.requests.filter((url) => !isOfService(url));
      one.#deeds = newDeeds();
      expect({ violations, errors, dialogs, requests }).toEqual({
        violations: [],
        errors: [],
        dialogs: [],
        requests: [],
      });
    });
    afterAll(() => one.#close());
    return one;
  }

  /** Paths of all requests of this test, in order. */
  get paths(): string[] {
    return this.#deeds.requests.map((url) => new URL(url).pathname);
  }

  /** Addresses of all requests of this test, in order. */
  get urls(): readonly string[] {
    return this.#deeds.requests;
  }

  /** Opens an address in a tab of its own. */
  async open(url: string, { colorScheme = "light", width = 1200, key }: View = {}): Promise<Page> {
    if (!this.#browser) throw new Error("the browser is not started");
    const context = await this.#browser.newContext({
      colorScheme,
      viewport: { width, height: 900 },
      locale: "en-GB",
      timezoneId: "Europe/Vienna",
    });
    context.setDefaultTimeout(STEP_MAX_MS);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await context.newPage();
    this.#watch(page);
    await page.addInitScript(listenForViolations);
    if (key !== undefined) await page.addInitScript(keepKey, key);
    await page.goto(url);
    await page.locator("h1").waitFor();
    return page;
  }

  #watch(page: Page): void {
    const { requests, violations, errors, dialogs } = this.#deeds;
    page.on("request", (request) => requests.push(request.url()));
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => {
      if (message.text().startsWith(VIOLATION)) violations.push(message.text());
    });
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
  }

  async #close(): Promise<void> {
    const browser = this.#browser;
    if (!browser) return;
    const late = new Promise<boolean>((resolve) => {
      setTimeout(resolve, CLOSE_MAX_MS, true).unref();
    });
    if (await Promise.race([browser.close().then(() => false), late])) {
      throw new Error("the browser did not end in time");
    }
  }
}

const VIOLATION = "policy violation:";

/** In the page: its own event tells more surely than the console's words. */
function listenForViolations(): void {
  addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
    console.warn("policy violation:", violatedDirective, blockedURI);
  });
}

/** In the page, as the console itself keeps it; not again where it was forgotten. */
function keepKey(key: string): void {
  if (sessionStorage.getItem("given") === null) sessionStorage.setItem("edgeflake-key", key);
  sessionStorage.setItem("given", "yes");
}

function newDeeds(): Deeds {
  return { requests: [], violations: [], errors: [], dialogs: [] };
}

function isOfService(url: string): boolean {
  return url.startsWith("http://127.0.0.1:") || url.startsWith("about:");
}
