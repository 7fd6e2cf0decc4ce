/** Set-up and tear-down of every page test: a server, and a browser that visits it. */
import { afterAll, beforeAll } from "vitest";
import { openBrowser, type TestBrowser } from "./browser.ts";
import { startServer, type TestServer } from "./server.ts";

export type TestPages = Pick<TestBrowser, "open"> & { readonly server: TestServer };

/** Registers hooks for the calling file, before its own. @param start - Starts a server other than the default one. */
export function withPages(start: () => Promise<TestServer> = startServer): TestPages {
  let server: TestServer | undefined;
  let browser: TestBrowser | undefined;
  beforeAll(async () => {
    server = await start();
    browser = await openBrowser(server.url);
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });
  const begun = <T>(what: T | undefined): T => {
    if (what === undefined) throw new RangeError("only within tests and the hooks of the file");
    return what;
  };
  return {
    open: (path, options) => begun(browser).open(path, options),
    get server() {
      return begun(server);
    },
  };
}
