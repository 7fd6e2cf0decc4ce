/** More connections than the service can hold, of clients who do nothing with them. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bodyOf, filePart, headOf, openRaw, type RawClient, toPart } from "#test/gateway/raw-client.ts";
import { runCli } from "#test/harness/cli.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";

const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64");
const addresses = Array.from({ length: 8 }, (_, n) => `127.0.1.${n + 1}`);
const perAddress = 512;
const [, openFiles = "0"] = /^Max open files +\d+ +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];

let server: TestServer;
let port: number;
beforeAll(async () => {
  server = await startServer();
  port = Number(new URL(server.url).port);
});
afterAll(() => server[Symbol.asyncDispose]());

async function openMany(at: number, from: readonly string[], each: number): Promise<RawClient[]> {
  const all: RawClient[] = [];
  for (const address of from) {
    // Some at a time: a listener's queue is short.
    for (let opened = 0; opened < each; opened += 64) {
      all.push(...(await Promise.all(Array.from({ length: Math.min(64, each - opened) }, () => openRaw(at, address)))));
    }
  }
  return all;
}

test.skipIf(Number(openFiles) < 10_000)("eight addresses with 512 idle connections each close the door to nobody", async () => {
  const upload = await openRaw(port);
  const form = bodyOf([toPart("webp"), filePart(png)]);
  upload.send(headOf(server.key, [`Content-Length: ${form.length}`]));
  upload.send(form.subarray(0, 40));
  const idle = await openMany(port, addresses, perAddress);
  // Half of them as one that is slow to write its head, a quarter as one that had an answer.
  for (const [at, client] of idle.entries()) {
    if (at % 2 === 0) client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    else if (at % 4 === 1) client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  for (const [at, client] of idle.entries()) if (at % 4 === 1) await client.until((text) => text.includes("200 OK"));
  for (let newcomer = 0; newcomer < 20; newcomer++) {
    const client = await openRaw(port, `127.0.2.${newcomer + 1}`);
    client.send("GET /api/v1/formats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    expect(await client.until(() => false)).toContain("200 OK");
  }
  upload.send(form.subarray(40));
  expect((await upload.answer()).status).toBe(200);
  for (const client of [...idle, upload]) client.socket.destroy();
});

test.skipIf(Number(openFiles) < 10_000)("idle connections without the token keep no command out, by the port either", async () => {
  const { port: rpcPort, hostname } = new URL(server.rpcUrl);
  const idle = await openMany(Number(rpcPort), addresses, 160);
  for (const client of idle) client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  const listed = await runCli(server, ["accounts", "list"], { RPC_HOST: hostname, RPC_PORT: rpcPort });
  expect(listed).toContain("local@filemill.localhost");
  for (const client of idle) client.socket.destroy();
});
