import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { bytesOf, callJson, callRest } from "#gateway/cli/rest-call.ts";
import type { ServerAddress } from "#gateway/cli/server-address.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<ServerAddress> {
  const opened = createServer(listener).listen(0, "127.0.0.1");
  server = opened;
  await new Promise((resolve) => opened.once("listening", resolve));
  return { url: new URL(`http://127.0.0.1:${(opened.address() as AddressInfo).port}/files/`), key: undefined };
}

test.each([
  [
    "https://files.example.org/files/api/v1/jobs?limit=1",
    "The server redirects to https://files.example.org/files/; use that as --server.",
  ],
  ["https://sign-in.example.org/?to=x", "The server redirects to https://sign-in.example.org/, which is not Filemill; check --server."],
])("reports a redirect to %s with the address to use", async (location, message) => {
  const address = await serve((_, answer) => answer.writeHead(301, { location }).end());
  await expect(callRest(address, { path: "api/v1/jobs?limit=1" })).rejects.toMatchObject({ code: "BAD_REQUEST", message });
  const path = `${address.url}api/v1/jobs?limit=1`;
  await expect(callRest(address, { path })).rejects.toMatchObject({ code: "BAD_REQUEST", message });
});

test.each(["<html>Welcome</html>", "null", '{"hello":1}'])("rejects an answer that is not from Filemill: %s", async (body) => {
  const address = await serve((_, answer) => answer.end(body));
  await expect(callJson(address, { path: "api/v1/jobs" }, "jobs" as never)).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ does not answer like Filemill; check --server\.$/),
  });
});

const bytes = gzipSync(JSON.stringify({ formats: Array.from({ length: 9999 }, (_, n) => n) }));

test("decodes a compressed answer", async () => {
  const address = await serve((_, answer) => answer.writeHead(200, { "content-encoding": "gzip" }).end(bytes));
  const { formats } = await callJson<{ formats: number[] }>(address, { path: "api/v1/formats" }, "formats");
  expect(formats).toHaveLength(9999);
});

test.each([
  ["compressed", { "content-encoding": "gzip" }],
  ["plain", {}],
])("reports a truncated answer: %s", async (_, headers) => {
  const address = await serve((_, answer) => {
    answer.writeHead(200, { ...headers, "content-length": bytes.length });
    answer.write(bytes.subarray(0, 500), () => answer.destroy());
  });
  const broken = { code: "UNAVAILABLE", message: "The server's answer was cut off (ECONNRESET)." };
  await expect(callJson<{ formats: number[] }>(address, { path: "" }, "formats")).rejects.toMatchObject(broken);
  await expect(Array.fromAsync(bytesOf(await callRest(address, { path: "" })))).rejects.toMatchObject(broken);
});

test("reports a corrupt compressed answer", async () => {
  const address = await serve((_, answer) => answer.writeHead(200, { "content-encoding": "gzip" }).end(bytes.subarray(100)));
  const message = "The server's answer was cut off (Z_DATA_ERROR).";
  await expect(callJson<{ formats: number[] }>(address, { path: "" }, "formats")).rejects.toMatchObject({ code: "UNAVAILABLE", message });
});

test("reports a proxy's 413 as INPUT_TOO_LARGE", async () => {
  const address = await serve((_, answer) => answer.writeHead(413).end("<html>"));
  await expect(callRest(address, { path: "" })).rejects.toMatchObject({ code: "INPUT_TOO_LARGE" });
});
