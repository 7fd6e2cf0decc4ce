import { request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { bodyOf, filePart, headOf, openRaw, toPart } from "#test/gateway/raw-client.ts";
import { png } from "#test/gateway/samples.ts";
import { auth, formOf, key, openStage } from "#test/gateway/stage.ts";
import { opened } from "#test/harness/opened.ts";

describe("admission to POST /convert", () => {
  const stage = opened(openStage);

  it.each([
    [undefined, 401, "MISSING_API_KEY", 'Bearer realm="filemill"'],
    ["Basic abc", 401, "INVALID_API_KEY", 'Bearer realm="filemill", error="invalid_token"'],
    ["Bearer fm_unknown", 401, "INVALID_API_KEY", 'Bearer realm="filemill", error="invalid_token"'],
    ["Bearer fm_revoked", 401, "API_KEY_REVOKED", 'Bearer realm="filemill", error="invalid_token"'],
    ["Bearer fm_free", 403, "NOT_ENTITLED", null],
  ])("answers Authorization: %s", async (authorization, status, code, challenge) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    for (const call of [
      () => fetch(`${stage.url}/api/v1/convert`, { method: "POST", headers, body: formOf("webp", png) }),
      () => fetch(`${stage.url}/api/v1/jobs`, { headers }),
    ]) {
      const answer = await call();
      expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status, body: { error: { code } } });
      expect(answer.headers.get("www-authenticate")).toBe(challenge);
    }
    expect(await stage.stored()).toEqual([]);
  });

  it("accepts the Bearer scheme in any case", async () => {
    expect((await fetch(`${stage.url}/api/v1/jobs`, { headers: { authorization: `bEARER ${key}` } })).status).toBe(200);
  });

  it("answers Expect: 100-continue with the refusal itself, or with 100 if it wants the body", async () => {
    const body = bodyOf([toPart("webp"), filePart(png)]);
    const refused = await openRaw(stage.port);
    refused.send(headOf("fm_unknown", [`Content-Length: ${body.length}`, "Expect: 100-continue"]));
    expect((await refused.answer()).status).toBe(401);
    const tooLarge = await openRaw(stage.port);
    tooLarge.send(headOf(key, ["Content-Length: 6000000", "Expect: 100-continue"]));
    expect((await tooLarge.answer()).status).toBe(413);
    const wanted = await openRaw(stage.port);
    wanted.send(headOf(key, [`Content-Length: ${body.length}`, "Expect: 100-continue"]));
    expect((await wanted.answer()).status).toBe(100);
    wanted.send(body);
    expect((await wanted.answer()).status).toBe(200);
    for (const client of [refused, tooLarge, wanted]) client.socket.destroy();
  });

  it("stops draining a refused upload after 1 MiB plus socket buffers", async () => {
    const client = await openRaw(stage.port);
    client.send(headOf("fm_unknown", ["Content-Length: 400000000"]));
    expect((await client.answer()).status).toBe(401);
    let sent = 0;
    const chunk = Buffer.alloc(1 << 20);
    while (!client.socket.destroyed && sent < 400_000_000) {
      sent += chunk.length;
      if (!client.socket.write(chunk)) {
        const drained = new Promise((resolve) => client.socket.once("drain", resolve).once("close", resolve));
        await drained;
      }
    }
    expect(sent).toBeLessThan(40_000_000);
  });

  it.each([
    ["sends everything before it reads", false],
    ["watches for the answer while it sends", true],
  ])("lets a client that %s read the refusal of a large upload", async (_name, streams) => {
    const body = bodyOf([toPart("webp"), filePart(Buffer.alloc(20_000_000))]);
    const answer = streams
      ? await fetch(`${stage.url}/api/v1/convert`, { method: "POST", headers: auth, body: formOf("webp", Buffer.alloc(20_000_000)) })
      : await sendWhole(`${stage.url}/api/v1/convert`, body);
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 413,
      body: { error: { code: "INPUT_TOO_LARGE", details: { limitMb: 5, limitedBy: "plan" } } },
    });
  });

  it("limits the file by the route if both formats are known in advance", async () => {
    await fetch(`${stage.url}/api/v1/formats`);
    const answer = await fetch(`${stage.url}/api/v1/convert?from=png`, {
      method: "POST",
      headers: auth,
      body: formOf("webp", Buffer.alloc(1_000_001)),
    });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 413,
      body: { error: { code: "INPUT_TOO_LARGE", details: { limitMb: 1, limitedBy: "conversion" } } },
    });
    expect(await stage.stored()).toEqual(stage.created.map((request) => request.input?.id));
  });

  it("rejects a Content-Length over the route's limit before the file arrives", async () => {
    await fetch(`${stage.url}/api/v1/formats`);
    const client = await openRaw(stage.port);
    const start = bodyOf([toPart("webp"), filePart("only the first bytes")], "").subarray(0, -10);
    client.send(Buffer.concat([Buffer.from(headOf(key, ["Content-Length: 3000000"], "?from=png")), start]));
    expect(await client.answer()).toMatchObject({ status: 413, body: expect.stringContaining('"limitedBy":"conversion"') });
    client.socket.destroy();
  });

  it("accepts a file of exactly the limit and rejects one byte more, even without Content-Length", async () => {
    const send = (bytes: number) => {
      const body = bodyOf([toPart("webp"), filePart(Buffer.concat([png, Buffer.alloc(bytes - png.length)]))]);
      return fetch(`${stage.url}/api/v1/convert`, {
        method: "POST",
        headers: { ...auth, "content-type": "multipart/form-data; boundary=XX" },
        body: new ReadableStream({
          start(controller) {
            controller.enqueue(body);
            controller.close();
          },
        }),
        duplex: "half",
      });
    };
    expect((await send(5_000_000)).status).toBe(200);
    expect((await send(5_000_001)).status).toBe(413);
    expect(await stage.stored()).toEqual(stage.created.map((request) => request.input?.id).toSorted());
  });

  it("enforces the rate limit and reports how many requests are left", async () => {
    await using small = await openStage({ requestsPerMinute: 2 });
    const call = () => fetch(`${small.url}/api/v1/convert`, { method: "POST", headers: auth, body: formOf("webp", png) });
    const answers = [await call(), await call(), await call()];
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 429]);
    expect(answers.map((answer) => answer.headers.get("ratelimit-policy"))).toEqual(Array(3).fill('"convert";q=2;w=60'));
    expect(answers.map((answer) => answer.headers.get("ratelimit")?.replace(/t=\d+/, "t=?"))).toEqual([
      '"convert";r=1;t=?',
      '"convert";r=0;t=?',
      '"convert";r=0;t=?',
    ]);
    expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await answers[2]?.json()).toMatchObject({ error: { code: "RATE_LIMITED" } });
    expect((await fetch(`${small.url}/api/v1/jobs`, { headers: auth })).headers.get("ratelimit-policy")).toBe('"read";q=20;w=60');
  });

  it("rejects uploads while the disk is full, and while it drains", async () => {
    await using full = await openStage({ settings: { MIN_FREE_DISK_MB: 1_000_000 } });
    const call = () => fetch(`${full.url}/api/v1/convert`, { method: "POST", headers: auth, body: formOf("webp", png) });
    const answer = await call();
    expect(answer.headers.get("retry-after")).toBe("30");
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status: 503, body: { error: { code: "UNAVAILABLE" } } });
    await stage.gateway.drain(AbortSignal.timeout(1000));
    // On a new connection: idle ones have just been closed.
    const drained = await sendWhole(`${stage.url}/api/v1/convert`, bodyOf([toPart("webp"), filePart(png)]));
    expect(drained.status).toBe(503);
    expect(await (await fetch(`${stage.url}/readyz`)).json()).toMatchObject({ ready: false, part: "draining", parts: ["draining"] });
  });
});

/** Sends the whole body regardless of an early answer, as simple clients do. */
function sendWhole(url: string, body: Buffer): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      agent: false,
      method: "POST",
      headers: { ...auth, "content-type": "multipart/form-data; boundary=XX", "content-length": body.length },
    });
    outgoing.on("response", (incoming) => {
      text(incoming).then((content) => resolve(new Response(content, { status: incoming.statusCode ?? 0 })), reject);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
