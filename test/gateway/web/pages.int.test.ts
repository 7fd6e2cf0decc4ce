import { createClient, createRouterTransport } from "@connectrpc/connect";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { jsonOf, openStage, type Stage } from "#test/gateway/stage.ts";

describe("pages", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it.each(["/", "/jobs", "/automate", "/docs", "/docs/formats", "/docs/errors"])("%s has no inline script or style", async (path) => {
    const answer = await fetch(stage.url + path);
    const text = await answer.text();
    expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    expect(text).toMatch(/<script type="module" src="\/assets\/[a-z]+-[A-Z0-9]{8}\.js">/);
    const again = await fetch(stage.url + path, { headers: { "if-none-match": answer.headers.get("etag") ?? "" } });
    expect(again.status).toBe(304);
  });

  it.each(["/", "/jobs", "/automate", "/docs", "/docs/formats", "/docs/errors", "/nope"])(
    "%s has a strict content security policy and security headers",
    async (path) => {
      const { headers } = await fetch(stage.url + path, { headers: { accept: "text/html" } });
      const policy = new Map(
        headers
          .get("content-security-policy")
          ?.split("; ")
          .map((rule) => [rule.split(" ")[0], rule.split(" ").slice(1)]),
      );
      for (const name of ["default-src", "frame-ancestors", "base-uri"]) expect([name, policy.get(name)]).toEqual([name, ["'none'"]]);
      for (const name of ["script-src", "style-src", "connect-src", "form-action"])
        expect([name, policy.get(name)]).toEqual([name, ["'self'"]]);
      expect([...policy.values()].flat()).not.toContain("'unsafe-inline'");
      expect([...policy.values()].flat().join(" ")).not.toMatch(/unsafe|\*|https?:|data:/);
      expect({
        type: headers.get("x-content-type-options"),
        referrer: headers.get("referrer-policy"),
        frame: headers.get("x-frame-options"),
        resource: headers.get("cross-origin-resource-policy"),
      }).toEqual({ type: "nosniff", referrer: "no-referrer", frame: "DENY", resource: "same-origin" });
    },
  );

  it("serve assets under immutable hashed names", async () => {
    const page = await (await fetch(stage.url)).text();
    const assets = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? "");
    expect(assets.length).toBeGreaterThan(3);
    for (const path of assets) {
      const answer = await fetch(stage.url + path, { headers: { "accept-encoding": "br" } });
      await answer.arrayBuffer();
      expect({
        path,
        status: answer.status,
        coding: answer.headers.get("content-encoding"),
        cache: answer.headers.get("cache-control"),
      }).toEqual({
        ...{ path, status: 200, coding: "br", cache: "public, max-age=31536000, immutable" },
      });
      expect(answer.headers.get("etag")).toMatch(/^"[0-9a-f]{32}-br"$/);
    }
    expect((await fetch(`${stage.url}/assets/converter-00000000.js`)).status).toBe(404);
    expect((await fetch(`${stage.url}/assets/..%2fpages.ts`)).status).toBe(404);
  });

  it("have a favicon at the default path", async () => {
    const answer = await fetch(`${stage.url}/favicon.ico`, { headers: { accept: "image/avif,image/webp,*/*;q=0.8" } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/x-icon"]);
    const icon = Buffer.from(await answer.arrayBuffer());
    expect([icon.readUInt16LE(0), icon.readUInt16LE(2), icon.readUInt16LE(4)]).toEqual([0, 1, 3]);
    for (const [index, size] of [16, 32, 48].entries()) {
      const [bytes, at] = [icon.readUInt32LE(6 + 16 * index + 8), icon.readUInt32LE(6 + 16 * index + 12)];
      expect(await sharp(icon.subarray(at, at + bytes)).metadata()).toMatchObject({ format: "png", width: size, height: size });
    }
    const again = await fetch(`${stage.url}/favicon.ico`, { headers: { "if-none-match": answer.headers.get("etag") ?? "" } });
    expect(again.status).toBe(304);
    const page = await (await fetch(stage.url)).text();
    const [, path = ""] = /<link rel="icon" type="image\/svg\+xml" href="([^"]+)">/.exec(page) ?? [];
    expect((await fetch(stage.url + path)).headers.get("content-type")).toBe("image/svg+xml");
  });

  it("use the address that the reader used, and have an anchor for every error", async () => {
    expect(await (await fetch(stage.url)).text()).toContain(`${stage.url}/api/v1/convert?download=wait`);
    expect(await (await fetch(`${stage.url}/docs/errors`)).text()).toContain('<div id="INPUT_TOO_LARGE">');
    // Each status number is followed by its text.
    const errors = await (await fetch(`${stage.url}/docs/errors`)).text();
    expect(errors).not.toMatch(/<span class="status-number">\d+<\/span> <\/h2>/);
    await using behind = await openStage({ settings: { PUBLIC_URL: "https://files.example" } });
    expect(await (await fetch(`${behind.url}/docs`)).text()).toContain("https://files.example/api/v1/convert");
  });

  it("answer an unknown path with HTML for a browser and JSON otherwise", async () => {
    const browser = await fetch(`${stage.url}/nope`, { headers: { accept: "text/html,application/xhtml+xml" } });
    expect({ status: browser.status, type: browser.headers.get("content-type") }).toEqual({
      status: 404,
      type: "text/html; charset=utf-8",
    });
    const page = await browser.text();
    expect(page).toContain("<h1>Page not found</h1>");
    expect(page).toContain('<nav aria-label="Main">');
    for (const [path, status] of [
      ["/assets/nope.js", 404],
      ["/auth/nope", 404],
      ["/docs/", 404],
      ["/%zz", 400],
    ] as const) {
      const other = await fetch(stage.url + path, { headers: { accept: "text/html" } });
      expect({ path, status: other.status, type: other.headers.get("content-type") }).toEqual({
        path,
        status,
        type: "text/html; charset=utf-8",
      });
    }
    const head = await fetch(`${stage.url}/nope`, { method: "HEAD", headers: { accept: "text/html" } });
    expect([head.status, head.headers.get("content-type"), head.headers.get("content-length")]).toEqual([
      404,
      "text/html; charset=utf-8",
      expect.stringMatching(/^\d{4,}$/),
    ]);
    for (const [path, accept] of [
      ["/nope", "*/*"],
      ["/nope", "application/json"],
      ["/assets/nope.js", "*/*"],
      ["/%zz", "*/*"],
      ["/api/v1/nope", "text/html"],
      ["/web/v1/nope", "text/html"],
    ] as const) {
      const answer = await fetch(stage.url + path, { headers: { accept } });
      expect((await jsonOf(answer)).error.code).toBe(path === "/%zz" ? "BAD_REQUEST" : "NOT_FOUND");
    }
    expect((await fetch(`${stage.url}/docs`, { method: "POST", headers: { accept: "text/html" } })).status).toBe(405);
  });

  it("show an error as HTML to a browser and as JSON to a program", async () => {
    const catalogue = createClient(
      CatalogueService,
      createRouterTransport(({ service }) => void service(CatalogueService, {})),
    );
    await using without = await openStage({ deps: { catalogue } });
    const page = await fetch(`${without.url}/docs/formats`, { headers: { accept: "text/html" } });
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.status).toBeGreaterThanOrEqual(500);
    expect(await page.text()).toMatch(/<h1>(Not available right now|Something went wrong)<\/h1>/);
    const program = await fetch(`${without.url}/docs/formats`, { headers: { accept: "application/json" } });
    expect(program.headers.get("content-type")).toBe("application/json");
    expect((await fetch(without.url)).status).toBe(200);
  });

  it("list formats with conversion counts, and a format's conversions as in the full list", async () => {
    const whole = await jsonOf(await fetch(`${stage.url}/api/v1/formats`));
    const index = await jsonOf(await fetch(`${stage.url}/web/v1/catalogue`));
    const counts = { png: { targets: 2, sources: 0 }, webp: { targets: 0, sources: 1 } };
    expect(index.formats).toEqual(whole.formats.map((format: { id: "png" | "webp" }) => ({ ...format, ...counts[format.id] })));
    const answer = await fetch(`${stage.url}/web/v1/catalogue/png`);
    expect(await jsonOf(answer)).toEqual({ conversions: whole.conversions });
    expect(
      (await fetch(`${stage.url}/web/v1/catalogue/png`, { headers: { "if-none-match": answer.headers.get("etag") ?? "" } })).status,
    ).toBe(304);
    expect((await fetch(`${stage.url}/web/v1/catalogue/nope`)).status).toBe(404);
  });
});

describe("pages in the reader's language", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const htmlOf = async (path: string, headers: Readonly<Record<string, string>>): Promise<string> =>
    (await fetch(stage.url + path, { headers: { accept: "text/html", ...headers } })).text();

  it.each([
    ["de-AT,de;q=0.9,en;q=0.5", '<html lang="de" dir="ltr">'],
    ["en;q=0.4, ar-EG", '<html lang="ar" dir="rtl">'],
    ["tlh, xx;q=0.9", '<html lang="en" dir="ltr">'],
    ["*", '<html lang="en" dir="ltr">'],
  ])("answer Accept-Language %s with %s", async (wish, start) => {
    const page = await htmlOf("/", { "accept-language": wish });
    expect(page).toContain(start);
    const [, code = ""] = /lang="(\w+)"/.exec(start) ?? [];
    expect(page).toContain(`src="/assets/texts-${code}-`);
  });

  it("keep the chosen language and redirect back, but only within this server", async () => {
    const choose = (query: string) => fetch(`${stage.url}/language?${query}`, { redirect: "manual" });
    const chosen = await choose("to=ja&next=%2Fjobs%3Fa%3D1");
    expect([chosen.status, chosen.headers.get("location")]).toEqual([303, "/jobs?a=1"]);
    const cookie = chosen.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect(await htmlOf("/jobs", { cookie, "accept-language": "de" })).toContain("<h1>ジョブ</h1>");
    for (const next of ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "///evil.example"])
      expect((await choose(`to=de&next=${encodeURIComponent(next)}`)).headers.get("location")).toMatch(/^\/(?![/\\])/);
    expect((await choose("to=tlh")).status).toBe(404);
  });

  it("have a translated 404 page, and English documentation within a translated frame", async () => {
    const missing = await htmlOf("/nope", { "accept-language": "fr" });
    expect(missing).toContain("<h1>Page introuvable</h1>");
    const docs = await htmlOf("/docs/errors", { "accept-language": "ar" });
    expect(docs).toMatch(/<html lang="ar" dir="rtl">[\s\S]*<main id="main" tabindex="-1" lang="en" dir="ltr">/);
    // The header shows who is signed in, in the reader's language.
    expect(docs).toContain('src="/assets/texts-ar-');
  });

  it("load one language's messages, without those that only the server uses", async () => {
    const [, path = ""] = /src="(\/assets\/texts-pl-[0-9a-f]{8}\.js)"/.exec(await htmlOf("/", { "accept-language": "pl" })) ?? [];
    const script = await fetch(stage.url + path);
    const text = await script.text();
    expect([script.status, text.startsWith('globalThis.filemill={"language":"pl"')]).toEqual([200, true]);
    expect(text).not.toContain('"page.');
    expect((await fetch(stage.url + path.replace(/-[0-9a-f]{8}/, "-00000000"))).status).toBe(404);
  });
});
