import { describe, expect, it } from "vitest";
import { bodyOf, filePart, headOf, openRaw, toPart } from "#test/gateway/raw-client.ts";
import { key, openStage } from "#test/gateway/stage.ts";
import { opened } from "#test/harness/opened.ts";

describe("the listener", () => {
  const stage = opened(openStage);

  it.each([
    ["input other than HTTP", "hello\r\n\r\n", 400, "BAD_REQUEST"],
    ["headers over 16 KiB", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431, "BAD_REQUEST"],
    [
      "two Content-Length headers",
      "POST /api/v1/convert HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      400,
      "BAD_REQUEST",
    ],
    [
      "a length with chunked encoding",
      "POST /api/v1/convert HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      400,
      "BAD_REQUEST",
    ],
    ["an unexpected body", "GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n", 400, "BAD_REQUEST"],
    ["CONNECT, as to a proxy", "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n", 405, "METHOD_NOT_ALLOWED"],
    ["a missing Host header", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "BAD_REQUEST"],
  ])("answers %s with an error", async (_name, bytes, status, code) => {
    const client = await openRaw(stage.port);
    client.send(bytes);
    const answer = await client.answer();
    expect(answer.status).toBe(status);
    const { error } = JSON.parse(answer.body);
    expect(error).toMatchObject({ code, requestId: answer.headers["x-request-id"] });
    await client.until(() => false);
  });

  it("rejects a malformed chunked upload and stores nothing", async () => {
    const client = await openRaw(stage.port);
    client.send(`${headOf(key, ["Transfer-Encoding: chunked"])}5\r\n--XX\r\nnonsense\r\n`);
    expect((await client.answer()).status).toBe(400);
    await client.until(() => false);
    await expect.poll(() => stage.stored()).toEqual([]);
  });

  it("times out on headers and bodies that arrive too slowly", { timeout: 60_000 }, async () => {
    const head = await openRaw(stage.port);
    head.send("GET / HTTP/1.1\r\nHost: a\r\n");
    const body = await openRaw(stage.port);
    const form = bodyOf([toPart("webp"), filePart(Buffer.alloc(100_000))]);
    body.send(headOf(key, [`Content-Length: ${form.length}`]));
    body.send(form.subarray(0, 1000));
    const json = await openRaw(stage.port);
    const jsonHead = [
      "POST /web/v1/sign-in HTTP/1.1",
      "Host: a",
      "X-Filemill: 1",
      "Content-Type: application/json",
      "Content-Length: 16000",
    ];
    json.send(`${jsonHead.join("\r\n")}\r\n\r\n`);
    const drip = setInterval(() => {
      body.send("x");
      json.send(" ");
    }, 500);
    const answers = await Promise.all([head.answer(), body.answer(), json.answer()]);
    clearInterval(drip);
    for (const answer of answers) {
      expect({ status: answer.status, code: JSON.parse(answer.body).error.code }).toEqual({ status: 408, code: "REQUEST_TIMEOUT" });
    }
    await expect.poll(() => stage.stored()).toEqual([]);
    for (const client of [head, body, json]) client.socket.destroy();
  });
});
