/** More connections than the service can hold, from idle clients. */
import { readFileSync } from "node:fs";
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import { bodyOf, filePart, headOf, openRaw, type RawClient, toPart } from "#test/gateway/raw-client.ts";
import { runCli } from "#test/harness/cli.ts";
import { opened } from "#test/harness/opened.ts";
import { startServer, withoutOffice } from "#test/harness/server.ts";

const addresses = Array.from({ length: 8 }, (_, n) => `127.0.1.${n + 1}`);
const perAddress = 512;
const [, openFiles = "0"] = /^Max open files +\d+ +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];

const server = opened(() => startServer(withoutOffice));
let port: number;
beforeAll(async () => {
  port = Number(new URL(server.url).port);
});

async function openMany(at: number, from: readonly string[], each: number): Promise<RawClient[]> {
  const all: RawClient[] = [];
  for (const address of from) {
    // In batches, since a listener's backlog is short.
    for (let opened = 0; opened < each; opened += 64) {
      all.push(...(await Promise.all(Array.from({ length: Math.min(64, each - opened) }, () => openRaw(at, address)))));
    }
  }
  return all;
}

test.skipIf(Number(openFiles) < 10_000)("4096 idle connections from eight addresses lock nobody out", async () => {
  const upload = await openRaw(port);
  // Two uncompressed megabytes, sent in pieces at the minimum body pace.
  const picture = await sharp({ create: { width: 1024, height: 683, channels: 3, background: "red" } })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const form = bodyOf([toPart("webp"), filePart(picture)]);
  upload.send(headOf(server.key, [`Content-Length: ${form.length}`]));
  let sent = 0;
  const sendPiece = () => {
    upload.send(form.subarray(sent, sent + 8192));
    sent += 8192;
  };
  sendPiece();
  const pace = setInterval(sendPiece, 2000);
  // Answered connections may stay; a missing or incomplete request head times out after ten seconds, so those come last.
  const answered = await openMany(port, addresses, perAddress * 0.75);
  for (const client of answered) client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  for (const client of answered) expect(await client.until((text) => text.includes("200 OK"))).toContain("200 OK");
  const idle = [...answered, ...(await openMany(port, addresses, perAddress * 0.25))];
  for (const [at, client] of idle.entries()) if (at % 2 === 0) client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
  expect(idle.filter(({ socket }) => socket.readyState === "open").length).toBeGreaterThan(0.95 * idle.length);
  for (let newcomer = 0; newcomer < 20; newcomer++) {
    const client = await openRaw(port, `127.0.2.${newcomer + 1}`);
    client.send("GET /api/v1/formats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    expect(await client.until(() => false)).toContain("200 OK");
  }
  clearInterval(pace);
  upload.send(form.subarray(sent));
  expect((await upload.answer()).status).toBe(200);
  for (const client of [...idle, upload]) client.socket.destroy();
});

test.skipIf(Number(openFiles) < 10_000)("idle connections without the token do not block commands on the RPC port", async () => {
  const { port: rpcPort, hostname } = new URL(server.rpcUrl);
  const idle = await openMany(Number(rpcPort), addresses, 160);
  for (const client of idle) client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  const listed = await runCli(server, ["accounts", "list"], { RPC_HOST: hostname, RPC_PORT: rpcPort });
  expect(listed).toContain("local@filemill.localhost");
  for (const client of idle) client.socket.destroy();
});
