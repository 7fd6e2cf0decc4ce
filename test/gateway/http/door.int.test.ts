/** Request smuggling: requests that try to be parsed as something else. */
import { readdir, readlink } from "node:fs/promises";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bodyOf, filePart, headOf, openRaw, toPart } from "#test/gateway/raw-client.ts";
import { png } from "#test/gateway/samples.ts";
import { key, openStage } from "#test/gateway/stage.ts";
import { opened } from "#test/harness/opened.ts";

const stage = opened(openStage);

const form = bodyOf([toPart("webp"), filePart(png)]);
const bearer = `Authorization: Bearer ${key}`;
const smuggled = `GET /api/v1/jobs HTTP/1.1\r\nHost: a\r\n${bearer}\r\n\r\n`;

/** Everything the server sends until it closes the connection. */
async function exchange(...pieces: (string | Buffer)[]): Promise<string> {
  const client = await openRaw(stage.port);
  for (const piece of pieces) client.send(piece);
  return client.until(() => false);
}

const statusesIn = (text: string): string[] => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status ?? "");

describe("request smuggling", () => {
  it("never parses the body of a refused upload as the next request", async () => {
    expect(statusesIn(await exchange(headOf("fm_unknown", [`Content-Length: ${smuggled.length}`]), smuggled))).toEqual(["401"]);
    expect(statusesIn(await exchange(headOf(key, ["Content-Length: 6000000"]), smuggled))).toEqual(["413"]);
    const chunk = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n`;
    expect(statusesIn(await exchange(headOf("fm_unknown", ["Transfer-Encoding: chunked"]), chunk))).toEqual(["401"]);
  });

  it.each([
    ["chunked with a length", ["Transfer-Encoding: chunked", "Content-Length: 5"]],
    ["a length with chunked", ["Content-Length: 5", "Transfer-Encoding: chunked"]],
    ["chunked followed by identity", ["Transfer-Encoding: chunked, identity"]],
    ["an unknown coding", ["Transfer-Encoding: xchunked"]],
    ["chunked behind a tab", ["Transfer-Encoding:\tchunked", "Content-Length: 5"]],
    ["a signed length", ["Content-Length: +5"]],
    ["a negative length", ["Content-Length: -5"]],
    ["a hexadecimal length", ["Content-Length: 0x5"]],
    ["a list of lengths", ["Content-Length: 5, 5"]],
    ["a length beyond 64 bits", ["Content-Length: 99999999999999999999"]],
    ["a folded header", ["X-A: b", " Content-Length: 5"]],
    ["a space before the colon", ["Content-Length : 5"]],
    ["a null byte in a header", ["X-A: b\0c"]],
    ["a bare carriage return in a header", ["X-A: b\rContent-Length: 5"]],
    ["two codings", ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"]],
    ["a second key", [`Content-Length: ${smuggled.length + 5}`, bearer]],
  ])("rejects %s and closes the connection", async (_name, lines) => {
    expect(statusesIn(await exchange(headOf(key, lines), `0\r\n\r\n${smuggled}`))).toEqual(["400"]);
    expect(await stage.stored()).toEqual([]);
  });

  it("accepts HTTP/1.0, rejects other versions, and does not act as a proxy", async () => {
    expect(statusesIn(await exchange("GET /healthz HTTP/1.0\r\n\r\n"))).toEqual(["200"]);
    for (const version of ["0.9", "1.2", "2.0", "3.0", "11"]) {
      expect(statusesIn(await exchange(`GET /healthz HTTP/${version}\r\nHost: a\r\n\r\n`, smuggled))).toEqual(["400"]);
    }
    expect(statusesIn(await exchange("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", smuggled))).toEqual(["405"]);
    const elsewhere = `GET http://evil.example/api/v1/jobs HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    expect(statusesIn(await exchange(elsewhere))).toEqual(["401"]);
  });

  it("rejects oversized or malformed chunks and trailers, and stores nothing", async () => {
    const chunked = headOf(key, ["Transfer-Encoding: chunked"]);
    const chunk = `${form.length.toString(16)}\r\n${form.toString("latin1")}\r\n`;
    for (const [body, status] of [
      ["1FFFFFFFFFFFFFFFF\r\nx", "400"],
      [`5;${"a".repeat(20_000)}\r\nhello\r\n`, "431"],
      [`${chunk}0\r\n${"X: y\r\n".repeat(5000)}\r\n`, "431"],
      ["-1\r\nx", "400"],
    ] as const) {
      expect(statusesIn(await exchange(chunked, Buffer.from(body, "latin1"))).slice(-1)).toEqual([status]);
    }
    await expect.poll(() => stage.stored()).toEqual([]);
  });

  it("does not speak HTTP/2", async () => {
    expect(statusesIn(await exchange("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))).toEqual(["400"]);
    const upgrade = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n";
    expect(statusesIn(await exchange(`GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${upgrade}\r\n`))).toEqual(["200"]);
  });

  it("rejects lines that end in a bare LF", async () => {
    expect(statusesIn(await exchange(`GET /healthz HTTP/1.1\nHost: a\n\n`))).toEqual(["400"]);
  });

  it("limits the total size of headers", async () => {
    const many = Array.from({ length: 5000 }, (_, index) => `X-${index}: 1`).join("\r\n");
    expect(statusesIn(await exchange(`GET /healthz HTTP/1.1\r\nHost: a\r\n${many}\r\n\r\n`))).toEqual(["431"]);
  });
});

describe("a body with Content-Encoding", () => {
  it("is rejected without being decompressed", async () => {
    const bomb = gzipSync(Buffer.concat([form.subarray(0, -8), Buffer.alloc(50_000_000)]));
    const head = headOf(key, [`Content-Length: ${bomb.length}`, "Content-Encoding: gzip", "Connection: close"]);
    const text = await exchange(head, bomb);
    expect(statusesIn(text)).toEqual(["415"]);
    expect(text).toContain("UNSUPPORTED_MEDIA_TYPE");
    expect(await stage.stored()).toEqual([]);
  });
});

describe("a client that disconnects", () => {
  it("during its download leaves no file open", async () => {
    await using roomy = await openStage({ maxInputMb: 100 });
    const folder = dirname(dirname(roomy.blobs.pathOf(`${"0".repeat(64)}-${"0".repeat(16)}`)));
    // The gateway runs in this process.
    const openFiles = async (): Promise<number> => {
      const targets = await Promise.all((await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
      return targets.filter((target) => target.startsWith(folder)).length;
    };
    const large = bodyOf([toPart("webp"), filePart(Buffer.concat([png, Buffer.alloc(40_000_000)]))]);
    const uploader = await openRaw(roomy.port);
    uploader.send(Buffer.concat([Buffer.from(headOf(key, [`Content-Length: ${large.length}`])), large]));
    const { id } = JSON.parse((await uploader.answer()).body).job;
    uploader.socket.destroy();
    for (const end of ["fin", "rst"] as const) {
      const client = await openRaw(roomy.port);
      client.socket.once("data", () => client.socket.pause());
      client.send(`GET /api/v1/jobs/${id}/download HTTP/1.1\r\nHost: a\r\n${bearer}\r\n\r\n`);
      await client.until((received) => received.length > 0);
      expect(await openFiles()).toBe(1);
      if (end === "fin") client.socket.destroy();
      else client.socket.resetAndDestroy();
      await expect.poll(openFiles).toBe(0);
    }
  });
});

describe("the Host header", () => {
  const jobs = (target: string, ...hosts: string[]): string =>
    `POST ${target} HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join("")}${bearer}\r\nConnection: close\r\n` +
    `Content-Type: multipart/form-data; boundary=XX\r\nContent-Length: ${form.length}\r\n\r\n`;
  const linkIn = (text: string): unknown => JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)).job?.download;

  it.each([["a/b"], ["a@b"], ["a b"], ["a, b"], ["a?b"], ["a#b"], ["a:b"], ["<script>"], [""], ["é"]])(
    "is rejected if it is %j",
    async (host) => {
      const text = await exchange(jobs("/api/v1/convert", host), form);
      expect(statusesIn(text)).toEqual(["400"]);
    },
  );

  it.each(["evil.example", "localhost.evil.example:80", "10.0.0.1"])(
    "is rejected at every path if it is %s (DNS rebinding)",
    async (host) => {
      for (const path of ["/", "/docs", "/healthz", "/readyz", "/metrics", "/api/v1/formats", "/api/v1/jobs", "/web/v1/me", "/nothing"]) {
        const text = await exchange(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\nConnection: close\r\n\r\n`);
        expect([path, statusesIn(text), /"code":"(\w+)"/.exec(text)?.[1]]).toEqual([path, ["400"], "BAD_REQUEST"]);
      }
      expect(statusesIn(await exchange(jobs("/api/v1/convert", host), form))).toEqual(["400"]);
      expect(statusesIn(await exchange(jobs("/web/v1/convert", host), form))).toEqual(["400"]);
    },
  );

  it("must be local for metrics even if every host name is allowed", async () => {
    await using open = await openStage({ settings: { HOST: "0.0.0.0", ALLOWED_HOSTS: undefined } });
    const metrics = async (host: string): Promise<string[]> => {
      const client = await openRaw(open.port);
      client.send(`GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      return statusesIn(await client.until(() => false));
    };
    expect(await metrics("127.0.0.1:8080")).toEqual(["200"]);
    expect(await metrics("evil.example")).toEqual(["404"]);
  });

  it("is rejected if there are two", async () => {
    expect(statusesIn(await exchange(jobs("/api/v1/convert", "a", "b"), form))).toEqual(["400"]);
  });

  it("is the only host used in links, whatever the target or forwarding headers say", async () => {
    const absolute = await exchange(jobs("http://evil.example/api/v1/convert", "good.example"), form);
    const forwarded = jobs("/api/v1/convert", "good.example").replace(
      "Connection",
      "X-Forwarded-Host: evil.example\r\nForwarded: host=evil.example\r\nConnection",
    );
    for (const text of [absolute, await exchange(forwarded, form)]) {
      expect(text).not.toContain("evil.example");
      if (statusesIn(text)[0] === "200") expect(linkIn(text)).toMatch(/^http:\/\/good\.example\//);
    }
    expect(statusesIn(await exchange(forwarded, form))).toEqual(["200"]);
  });
});
