/** A real browser, and pages that record what must not happen. */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { removeFolder } from "./folders.ts";

export type TestPage = Page & {
  /** Content policy violations, uncaught errors, and requests to other servers. Must be empty. */
  readonly faults: string[];
};

export type TestBrowser = AsyncDisposable & {
  /** Opens a page in its own profile: pages share nothing. */
  open(path: string, options?: BrowserContextOptions): Promise<TestPage>;
};

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

export const phone: BrowserContextOptions = { viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true };

export async function openBrowser(url: string): Promise<TestBrowser> {
  const home = await mkdtemp(join(tmpdir(), "filemill-browser-"));
  const env = { ...definedOnly(process.env), HOME: home };
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags, env, timeout: 120_000 });
  return {
    async open(path, options = {}) {
      const context = await browser.newContext({ baseURL: url, reducedMotion: "reduce", ...options });
      // For a small machine that runs everything at once.
      context.setDefaultTimeout(60_000);
      const page = watched(await context.newPage(), context, url);
      await page.goto(path);
      return page;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await removeFolder(home);
    },
  };
}

function watched(page: Page, context: BrowserContext, url: string): TestPage {
  const faults: string[] = [];
  context.on("request", (request) => {
    const address = request.url();
    if (!address.startsWith(`${url}/`) && !/^(blob|data|chrome-extension|chrome):/.test(address))
      faults.push(`left the server: ${address}`);
  });
  page.on("console", (message) => {
    if (/content security policy|trusted type/i.test(message.text())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  return Object.assign(page, { faults });
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
