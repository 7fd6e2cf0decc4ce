import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openRemoteFile } from "#gateway/http/remote-file.ts";
import { png } from "#test/gateway/samples.ts";
import { auth, jsonOf, openStage, type Stage } from "#test/gateway/stage.ts";
import { opened } from "#test/harness/opened.ts";

const stage = opened(openStage);
let origin: Server;
let base: string;

/** Responses of the remote server, by path. */
const places: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/photo.png": (response) => void response.end(png),
  "/named": (response) => void response.setHeader("content-disposition", 'attachment; filename="told.png"').end(png),
  "/away": (response) => void response.writeHead(302, { location: "/photo.png" }).end(),
  "/round": (response) => void response.writeHead(302, { location: "/round" }).end(),
  "/ftp": (response) => void response.writeHead(302, { location: "ftp://127.0.0.1/x" }).end(),
  "/packed": (response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(png),
  "/cut": (response) => void response.writeHead(200, { "content-length": "1000" }).write(png, () => response.destroy()),
  "/large": (response) => void response.writeHead(200, { "content-length": String(10 ** 10) }).write(png),
  "/endless": (response) => {
    const more = (): void => void (response.destroyed || response.write(Buffer.alloc(1 << 20), () => setImmediate(more)));
    more();
  },
  "/empty": (response) => void response.end(),
};

beforeAll(async () => {
  origin = createServer((request, response) => {
    const place = places[request.url ?? ""];
    if (place === undefined) response.writeHead(404).end();
    else place(response);
  }).listen(0, "127.0.0.1");
  await once(origin, "listening");
  base = `http://127.0.0.1:${(origin.address() as AddressInfo).port}`;
});
afterAll(async () => {
  origin.closeAllConnections();
  origin.close();
});

function convertUrl(body: object, at: Stage = stage, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const all = { ...auth, "content-type": "application/json", ...headers };
  return fetch(`${at.url}/api/v1/convert-url`, { method: "POST", headers: all, body: JSON.stringify(body) });
}

test("fetches and converts a file, with options and the name that its server gives", async () => {
  const answer = await convertUrl({ url: `${base}/away`, to: "WEBP", options: { quality: 70 } });
  expect((await jsonOf(answer)).job).toMatchObject({ status: "done", from: "png", to: "webp", bytes: png.length });
  expect(stage.created.at(-1)).toMatchObject({ sourceName: "photo.png", options: { quality: "70" } });
  await convertUrl({ url: `${base}/named`, to: "webp" });
  expect(stage.created.at(-1)).toMatchObject({ sourceName: "told.png" });
  await convertUrl({ url: `${base}/named`, to: "webp", name: "mine.png" });
  expect(stage.created.at(-1)).toMatchObject({ sourceName: "mine.png" });
});

test("behaves like POST /convert: preferences, idempotency, errors", async () => {
  expect((await convertUrl({ url: `${base}/photo.png`, to: "webp" }, stage, { prefer: "respond-async" })).status).toBe(202);
  const headers = { "idempotency-key": "one" };
  await convertUrl({ url: `${base}/photo.png`, to: "webp" }, stage, headers);
  const again = await convertUrl({ url: `${base}/photo.png`, to: "webp" }, stage, headers);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect((await jsonOf(await convertUrl({ url: `${base}/photo.png`, to: "wepb" }))).error.code).toBe("UNSUPPORTED_TARGET");
  expect((await convertUrl({ to: "webp" })).status).toBe(400);
  const noKey = await fetch(`${stage.url}/api/v1/convert-url`, {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  expect(noKey.status).toBe(401);
});

test.each([
  ["/nothing", 400, /answered 404/],
  ["/round", 400, /redirects too many times/],
  ["/ftp", 400, /http or https URL/],
  ["/packed", 400, /compresses it/],
  ["/cut", 400, /closed the connection/],
  ["/large", 413, /over the 5 MB/],
  ["/endless", 413, /over the 5 MB/],
  ["/empty", 422, /empty/],
])("%s is refused with %d and leaves nothing behind", async (path, status, told) => {
  const before = await stage.stored();
  const answer = await convertUrl({ url: `${base}${path}`, to: "webp" });
  expect(answer.status).toBe(status);
  expect((await jsonOf(answer)).error.message).toMatch(told);
  expect(await stage.stored()).toEqual(before);
});

test("private addresses are not fetched in any notation", async () => {
  await using strict = await openStage({ settings: { URL_FETCH: "public" } });
  for (const url of [
    base,
    "http://localhost/",
    "http://[::1]/",
    "http://169.254.169.254/latest",
    "http://0x7f000001/",
    "http://[::ffff:7f00:1]/",
  ])
    expect((await jsonOf(await convertUrl({ url, to: "webp" }, strict))).error, url).toMatchObject({
      code: "BAD_REQUEST",
      details: { field: "url" },
    });
  expect((await jsonOf(await convertUrl({ url: "https://example.org:8443/", to: "webp" }, strict))).error.message).toMatch(/port/);
  await using off = await openStage({ settings: { URL_FETCH: "off" } });
  expect((await convertUrl({ url: `${base}/photo.png`, to: "webp" }, off)).status).toBe(404);
});

test("a host name that resolves to a private address is not fetched", async () => {
  let asked = 0;
  const count = (): void => void asked++;
  origin.on("request", count);
  const resolve = ((_name: string, options: { all?: boolean }, done: (...told: unknown[]) => void) => {
    if (options.all === true) done(null, [{ address: "127.0.0.1", family: 4 }]);
    else done(null, "127.0.0.1", 4);
  }) as unknown as NonNullable<Parameters<typeof openRemoteFile>[1]["resolve"]>;
  const signal = new AbortController().signal;
  await expect(openRemoteFile("http://inside.example/photo.png", { allowPrivate: false, signal, resolve })).rejects.toMatchObject({
    code: "BAD_REQUEST",
  });
  origin.off("request", count);
  expect(asked).toBe(0);
});
