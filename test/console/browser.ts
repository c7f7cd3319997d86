/** A real browser for each test file, which records forbidden events of its pages. */
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";

/** Longer than any step here: if a page hangs, the error names the step. */
const STEP_MAX_MS = 20_000;
/** A browser that does not end by then is killed. */
const CLOSE_MAX_MS = 5000;

export interface View {
  readonly colorScheme?: "light" | "dark";
  readonly width?: number;
  /** An API key that the tab has already. */
  readonly key?: string;
  /** How the page is slowed down or sped up; then it has a context of its own. */
  readonly time?: "lateFrames" | "clock";
}

/** Events of pages. The end of the test reports them all. */
interface PageEvents {
  readonly requests: string[];
  readonly violations: string[];
  readonly errors: string[];
  readonly dialogs: string[];
}

export class TestBrowser {
  #browser: Browser | undefined;
  /** The page that tests use one after another. */
  #shared: Page | undefined;
  #events: PageEvents = newEvents();

  /** A browser for the tests of this file; after each of them its pages are left and judged. */
  static ofFile(): TestBrowser {
    const one = new TestBrowser();
    beforeAll(async () => {
      // One process fewer (--single-process) would hang when a context closes.
      one.#browser = await chromium.launch({
        executablePath: inject("chromium"),
        args: ["--no-sandbox"],
      });
    });
    afterEach(({ task }) => one.#endTest(task.result?.state === "fail"));
    afterAll(() => one.#close());
    return one;
  }

  /** Paths of all requests to the API of this test, in order. */
  get asked(): string[] {
    return this.urls.map((url) => new URL(url).pathname).filter((path) => path.startsWith("/v1/"));
  }

  /** Addresses of all requests of this test, in order. */
  get urls(): readonly string[] {
    return this.#events.requests;
  }

  /** Opens an address anew. The tab has no key from other tests; within one test it keeps its own. */
  async open(url: string, view: View = {}): Promise<Page> {
    const { colorScheme = "light", width = 1200, key = "", time } = view;
    const page = await this.#pageOf(time);
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    // An address that differs in its fragment alone would not be loaded.
    await page.goto("about:blank");
    if (key !== "") {
      // Any file of the same origin: only there is the tab's storage at hand.
      await page.goto(new URL("/icon.svg", url).href);
      await page.evaluate(keepKey, key);
    }
    await page.goto(url);
    await page.locator("h1").waitFor();
    return page;
  }

  async #pageOf(time: View["time"]): Promise<Page> {
    if (time === undefined) {
      this.#shared ??= await (await this.#newContext()).newPage();
      return this.#shared;
    }
    const context = await this.#newContext();
    if (time === "lateFrames") await context.addInitScript(delayFrames);
    else await context.clock.install();
    return await context.newPage();
  }

  async #newContext(): Promise<BrowserContext> {
    if (!this.#browser) throw new Error("the browser is not started");
    const context = await this.#browser.newContext({
      locale: "en-GB",
      timezoneId: "Europe/Vienna",
    });
    context.setDefaultTimeout(STEP_MAX_MS);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await context.addInitScript(listenForViolations);
    context.on("request", (request) => this.#events.requests.push(request.url()));
    context.on("weberror", (error) => this.#events.errors.push(error.error().message));
    context.on("console", (message) => {
      if (message.text().startsWith(VIOLATION)) this.#events.violations.push(message.text());
    });
    context.on("dialog", (dialog) => {
      this.#events.dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    return context;
  }

  async #endTest(isFailed: boolean): Promise<void> {
    if (this.#shared && this.#shared.url() !== "about:blank") {
      await this.#shared.unrouteAll();
      await this.#shared.evaluate(() => sessionStorage.clear());
      await this.#shared.goto("about:blank");
    }
    for (const context of this.#browser?.contexts() ?? []) {
      // A failed test must not affect the next one.
      if (isFailed || context !== this.#shared?.context()) await context.close();
    }
    if (isFailed) this.#shared = undefined;
    const { violations, errors, dialogs } = this.#events;
    const requests = this.#events.requests.filter((url) => !isOfService(url));
    this.#events = newEvents();
    expect({ violations, errors, dialogs, requests }).toEqual({
      violations: [],
      errors: [],
      dialogs: [],
      requests: [],
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

/** In the page: its own event is more reliable than the console's message. */
function listenForViolations(): void {
  addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
    console.warn("policy violation:", violatedDirective, blockedURI);
  });
}

/** In the page: a slow machine draws late. */
function delayFrames(): void {
  const next = requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (draw) => next((atMs) => setTimeout(draw, 200, atMs));
}

/** In the page, as the console itself keeps it. */
function keepKey(key: string): void {
  sessionStorage.setItem("edgeflake-key", key);
}

function newEvents(): PageEvents {
  return { requests: [], violations: [], errors: [], dialogs: [] };
}

function isOfService(url: string): boolean {
  return url.startsWith("http://127.0.0.1:") || url.startsWith("about:");
}
