/** The documentation's webhook receivers, run as a reader would. */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import sharp from "sharp";
import { Webhook as Signer } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer, withoutOffice } from "#test/harness/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    ...withoutOffice,
    WEBHOOK_PRIVATE_ADDRESSES: "allowed",
    WEBHOOK_PORTS: "1-65535",
    WEBHOOK_RETRY_SECONDS: Array(20).fill(1).join(),
  });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Below the kernel's ephemeral ports, which all other tests use. */
async function freePort(): Promise<number> {
  const [lowest = 32_768] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "latin1").split("\t").map(Number);
  for (;;) {
    const port = randomInt(Math.floor(lowest / 2), lowest);
    const probe = createServer().listen(port, "127.0.0.1");
    const isFree = await once(probe, "listening").then(
      () => true,
      () => false,
    );
    probe.close();
    if (isFree) return port;
  }
}

async function call(path: string, init: RequestInit): Promise<Record<string, Record<string, string>> & { secret: string }> {
  const answer = await fetch(server.url + path, { ...init, headers: { ...init.headers, authorization: `Bearer ${server.key}` } });
  return JSON.parse((await answer.text()) || "{}");
}

async function convert(bytes: Buffer): Promise<string> {
  const form = new FormData();
  form.set("to", "webp");
  form.set("file", new File([new Uint8Array(bytes)], "a.png"));
  return (await call("/api/v1/convert", { method: "POST", body: form })).job?.id ?? "";
}

test.each([
  ["webhook.ts", process.execPath],
  ["webhook.py", "/usr/bin/python3"],
])("%s accepts what Filemill sends, and rejects forged or old messages", async (name, program) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/hook`;
  const made = await call("/api/v1/webhooks", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url }),
  });
  const env = { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: made.secret };
  const receiver = spawn(program, [`gateway/examples/${name}`], { env, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  receiver.stdout.on("data", (chunk) => {
    printed += String(chunk);
  });
  try {
    // Messages sent before the receiver listens are retried.
    const done = await convert(
      await sharp({ create: { width: 4, height: 4, channels: 3, background: "red" } })
        .png()
        .toBuffer(),
    );
    await expect.poll(() => printed).toMatch(new RegExp(`^job\\.done ${done} ${server.url}/api/v1/jobs/${done}/download$`, "m"));
    const failed = await convert(Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "latin1"));
    await expect.poll(() => printed).toMatch(new RegExp(`^job\\.failed ${failed} ?$`, "m"));

    const before = printed;
    const post = async (secret: string, at: Date, sent: string, signed = sent) => {
      const headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new Signer(secret).sign("msg_1", at, signed),
      };
      return (await fetch(url, { method: "POST", headers, body: sent })).status;
    };
    const body = JSON.stringify({ type: "job.done", data: { job: { id: "forged", download: null } } });
    const now = new Date();
    expect(await post(`whsec_${Buffer.alloc(32, 1).toString("base64")}`, now, body)).toBe(400);
    expect(await post(made.secret, now, body, `${body} `)).toBe(400);
    expect(await post(made.secret, new Date(now.getTime() - 3_600_000), body)).toBe(400);
    for (const time of ["\u00b2", "9".repeat(5000), ""])
      expect((await fetch(url, { method: "POST", headers: { "webhook-timestamp": time }, body })).status).toBe(400);
    expect(printed).toBe(before);
    expect(await post(made.secret, now, body)).toBe(204);
  } finally {
    receiver.kill();
    await call(`/api/v1/webhooks/${made.webhook?.id}`, { method: "DELETE" });
  }
});
