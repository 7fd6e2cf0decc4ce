import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { notReady } from "#kit/readiness.ts";
import { auth, jsonOf, openStage } from "#test/gateway/stage.ts";
import { opened } from "#test/harness/opened.ts";

describe("public endpoints", () => {
  const stage = opened(openStage);

  /** Bypasses fetch's automatic decompression. */
  function get(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }> {
    return new Promise((resolve, reject) => {
      request(stage.url + path, { headers }, (incoming) => {
        buffer(incoming).then((body) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body }), reject);
      })
        .on("error", reject)
        .end();
    });
  }

  it("list formats and conversions in every content coding, each with its own ETag", async () => {
    const plain = await get("/api/v1/formats");
    const gzip = await get("/api/v1/formats", { "accept-encoding": "gzip" });
    const br = await get("/api/v1/formats", { "accept-encoding": "gzip, deflate, br" });
    expect(JSON.parse(plain.body.toString())).toEqual({
      formats: [
        { id: "png", label: "PNG", kind: "image", extensions: ["png"], mime: "image/png" },
        { id: "webp", label: "WebP", kind: "image", extensions: ["webp"], mime: "image/webp" },
      ],
      conversions: [
        {
          from: "png",
          to: "webp",
          fidelity: "high",
          async: false,
          maxInputMb: 1,
          options: [
            { name: "quality", type: "integer", default: 80, description: "Quality", min: 1, max: 100 },
            { name: "mode", type: "enum", default: null, description: "Mode", values: ["a", "b"] },
            { name: "background", type: "string", default: null, description: "Colour" },
          ],
        },
        { from: "png", to: "webm", fidelity: "reduced", async: true, maxInputMb: 100, options: [] },
      ],
    });
    expect(Object.keys(JSON.parse(plain.body.toString()))).toEqual(["formats", "conversions"]);
    expect(gunzipSync(gzip.body)).toEqual(plain.body);
    expect(brotliDecompressSync(br.body)).toEqual(plain.body);
    expect([plain, gzip, br].map((answer) => answer.headers["content-encoding"])).toEqual([undefined, "gzip", "br"]);
    expect(new Set([plain, gzip, br].map((answer) => answer.headers.etag)).size).toBe(3);
    expect(br.headers).toMatchObject({
      "cache-control": "public, max-age=3600",
      vary: "Accept-Encoding",
      "content-type": "application/json",
    });
    const again = await get("/api/v1/formats", { "accept-encoding": "br", "if-none-match": String(br.headers.etag) });
    expect({ status: again.status, bytes: again.body.length }).toEqual({ status: 304, bytes: 0 });
    expect((await get("/api/v1/formats", { "if-none-match": String(br.headers.etag) })).status).toBe(200);
  });

  it("echo a valid request id and generate one otherwise", async () => {
    expect((await get("/healthz", { "x-request-id": "my.id_1-2" })).headers["x-request-id"]).toBe("my.id_1-2");
    const made = (await get("/healthz", { "x-request-id": "no spaces" })).headers["x-request-id"];
    expect(made).toMatch(/^[0-9a-f-]{36}$/);
    const refused = await fetch(`${stage.url}/nope`, { headers: { "x-request-id": "abc" } });
    expect((await jsonOf(refused)).error).toMatchObject({ code: "NOT_FOUND", requestId: "abc" });
  });

  it("answer an unknown path, a malformed path and a malformed Host with 4xx", async () => {
    expect((await get("/api/v1/nope")).status).toBe(404);
    const malformed = await get("/%zz");
    expect({ status: malformed.status, body: JSON.parse(malformed.body.toString()) }).toMatchObject({
      status: 400,
      body: { error: { code: "BAD_REQUEST" } },
    });
    expect(malformed.headers["x-request-id"]).toBeTruthy();
    expect((await get("/api/v1/jobs", { ...auth, host: "a/b" })).status).toBe(400);
  });

  it("report an oversized JSON body as such, not as a malformed address", async () => {
    const headers = { ...auth, "content-type": "application/json" };
    const answer = await fetch(`${stage.url}/api/v1/webhooks`, { method: "POST", headers, body: JSON.stringify({ url: "a".repeat(1e6) }) });
    expect(answer.status).toBe(400);
    expect((await jsonOf(answer)).error).toMatchObject({ code: "BAD_REQUEST", message: "The body is too long." });
  });

  it("use PUBLIC_URL and ignore forwarding headers", async () => {
    const document = JSON.parse((await get("/api/v1/openapi.json", { "x-forwarded-host": "evil.example" })).body.toString());
    expect(document.servers).toEqual([{ url: stage.url }]);
    await using behind = await openStage({ settings: { PUBLIC_URL: "https://files.example" } });
    expect((await jsonOf(await fetch(`${behind.url}/api/v1/openapi.json`))).servers).toEqual([{ url: "https://files.example" }]);
  });

  it("report readiness and the parts that are not ready", async () => {
    expect((await get("/healthz")).status).toBe(200);
    expect(JSON.parse((await get("/readyz")).body.toString())).toEqual({ ready: true });
    await using starting = await openStage({ deps: { readiness: async () => notReady("scratch", "inspectors") } });
    const answer = await fetch(`${starting.url}/readyz`);
    expect({ status: answer.status, body: await jsonOf(answer) }).toEqual({
      status: 503,
      body: { ready: false, part: "scratch", parts: ["scratch", "inspectors"] },
    });
  });

  it("show metrics to this host or with the token, but not through a proxy", async () => {
    const text = (await get("/metrics")).body.toString();
    expect(text).toMatch(/filemill_http_requests_total\{endpoint="\/api\/v1\/formats",method="GET",status="200"\} \d/);
    const away = { "x-forwarded-for": "192.0.2.1" };
    expect((await get("/metrics", away)).status).toBe(404);
    await using told = await openStage({ settings: { METRICS_TOKEN: "a-token-of-the-operator" } });
    const statusWith = async (authorization: string) =>
      (await fetch(`${told.url}/metrics`, { headers: { ...away, authorization } })).status;
    expect([await statusWith("Bearer a-token-of-the-operator"), await statusWith("Bearer a-token-of-nobody-here")]).toEqual([200, 404]);
  });

  it("answer 503 with no-store for formats while no engine is registered", async () => {
    const transport = createRouterTransport(({ service }) => service(CatalogueService, { getCatalogue: () => ({ revision: "0" }) }));
    await using starting = await openStage({ deps: { catalogue: createClient(CatalogueService, transport) } });
    const answer = await fetch(`${starting.url}/api/v1/formats`);
    expect([answer.status, answer.headers.get("cache-control"), answer.headers.get("retry-after")]).toEqual([503, "no-store", "5"]);
    expect(await jsonOf(answer)).toMatchObject({ error: { code: "UNAVAILABLE" } });
  });

  it("never reveal the cause of an internal error", async () => {
    await using broken = await openStage({
      deps: {
        readiness: () => {
          throw new Error("secret /path");
        },
      },
    });
    const answer = await fetch(`${broken.url}/readyz`);
    const text = await answer.text();
    expect(answer.status).toBe(500);
    expect(text).not.toContain("secret");
    expect(JSON.parse(text)).toMatchObject({ error: { code: "INTERNAL" } });
  });
});
