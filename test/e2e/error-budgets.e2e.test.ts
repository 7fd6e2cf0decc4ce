/** One budget per caller, against the whole product: how callers are identified, when the budget is checked, and what frees it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { strikeAt } from "#test/faults/crash-points.ts";
import { openBrowserClient } from "#test/harness/browser-client.ts";
import { bytesUnder, filesUnder } from "#test/harness/folders.ts";
import { call, expectRow, jobIn, jobOf, post, removeAllJobs } from "#test/harness/rest.ts";
import { startSecondGateway, startServer, type TestServer } from "#test/harness/server.ts";
import { behindProxy, codeOf, guestAt, plansWith, silentFlac, toWav } from "#test/harness/silence.ts";
import { wavHeader } from "#test/harness/wav-file.ts";

describe("a budget", () => {
  let server: TestServer;
  beforeAll(async () => {
    const own = { maxInputMb: 1, maxStoredMb: 2, maxResultMb: 80 };
    server = await startServer(behindProxy, plansWith({ maxInputMb: 1, maxStoredMb: 1 }, own));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("belongs to an IPv4 address or IPv6 /64 behind a trusted proxy", async () => {
    const flac = await silentFlac(5, server.dataDir);
    const codeAt = async (address: string): Promise<string> => codeOf(await toWav(guestAt(server, address), flac));
    expect(await codeAt("2001:db8:1:2::1")).toBe("done");
    expect(await codeAt("2001:db8:1:2:ffff:1:2:3")).toBe("QUOTA_EXCEEDED");
    expect(await codeAt("2001:db8:1:3::1")).toBe("done");
    expect(await codeAt("198.51.100.1")).toBe("done");
    expect(await codeAt("::ffff:198.51.100.1")).toBe("QUOTA_EXCEEDED");
  });

  it("that is full is answered with 507 before the body is read, until jobs are deleted", async () => {
    const flac = await silentFlac(11, server.dataDir);
    const first = await post(server, { to: "wav", file: flac, name: "a.flac" });
    const { id } = await jobOf(first);
    const row = { status: 507, code: "QUOTA_EXCEEDED", details: { limitMb: 2, usedMb: 1.9 } };
    const large = {
      to: "flac",
      file: Buffer.concat([wavHeader(500_000, { sampleRate: 44_100, channels: 2, sampleBytes: 2 }), Buffer.alloc(500_000)]),
      name: "a.wav",
    };
    const { error } = await expectRow(await post(server, large), row);
    expect(Object(error).message).toContain(`DELETE /api/v1/jobs/{id}`);
    await expectRow(await post(server, { ...large, headers: { accept: "application/problem+json" } }), row);
    await call(server, `/api/v1/jobs/${id}`, { method: "DELETE" });
    expect((await post(server, large)).status).toBe(200);
    await removeAllJobs(server);
  });

  it("that is full still allows idempotent replays", async () => {
    const headers = { "idempotency-key": "silence" };
    const upload = { to: "wav", file: await silentFlac(11, server.dataDir), name: "a.flac", headers };
    const { id } = await jobOf(await post(server, upload));
    await post(server, { ...upload, headers: {} });
    const again = await post(server, upload);
    expect([again.headers.get("idempotent-replayed"), (await jobOf(again)).id]).toEqual(["true", id]);
    await removeAllJobs(server);
  });

  it("is shared by all gateways and shown to its account", async () => {
    await using second = await startSecondGateway(server);
    const flac = await silentFlac(5, server.dataDir);
    expect(codeOf(await toWav(openBrowserClient(server.url), flac))).toBe("done");
    expect(codeOf(await toWav(openBrowserClient(second.url), flac))).toBe("QUOTA_EXCEEDED");
    const first = await jobOf(await post(server, { to: "wav", file: await silentFlac(11, server.dataDir), name: "a.flac" }));
    await expectRow(await post(second, { to: "wav", file: Buffer.alloc(500_000), name: "a.flac" }), {
      status: 507,
      code: "QUOTA_EXCEEDED",
    });

    const browser = openBrowserClient(server.url);
    await browser.ask("POST", "/web/v1/sign-in/link", { token: server.signInLink?.split("=")[1] });
    const { usage, plan } = (await browser.ask("GET", "/web/v1/me")).json.account;
    const { bytes } = (await browser.ask("GET", `/web/v1/jobs/${first.id}`)).json.job;
    expect([usage.storedBytes, plan.maxStoredMb]).toEqual([bytes, 2]);
    expect(usage.processorSecondsThisHour).toBeGreaterThan(0);
    await removeAllJobs(server);
  });
});

it("a budget limits concurrent uploads as a whole", async () => {
  await using server = await startServer(behindProxy, plansWith({}, { maxInputMb: 3, maxStoredMb: 4 }));
  const wav = Buffer.concat([wavHeader(2_200_000, { sampleRate: 8000, channels: 1, sampleBytes: 1 }), Buffer.alloc(2_200_000, 128)]);
  const held = Promise.withResolvers<void>();
  const pending = streamed(server, wav, held.promise);
  // The store writes one mebibyte at a time.
  await expect.poll(() => bytesUnder(join(server.dataDir, "blobs/partial"))).toBe(2 * 2 ** 20);
  const other = await streamed(server, wav, Promise.resolve());
  expect([other.status, await other.text()]).toEqual([507, expect.stringContaining("QUOTA_EXCEEDED")]);
  held.resolve();
  expect((await pending).status).toBe(200);
});

/** A body without Content-Length, whose end is delayed, at the slowest permitted pace. */
function streamed(server: TestServer, file: Buffer<ArrayBuffer>, end: Promise<void>): Promise<Response> {
  const boundary = "xxxxxxxx";
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="to"\r\n\r\nflac\r\n--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`;
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(head);
    let sent = file.length - 50_000;
    yield file.subarray(0, sent);
    let isOver = false;
    void end.then(() => {
      isOver = true;
    });
    for (; !isOver && sent + 1000 < file.length; sent += 1000) {
      yield file.subarray(sent, sent + 1000);
      await Promise.race([end, sleep(1000)]);
    }
    yield file.subarray(sent);
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  const headers = { authorization: `Bearer ${server.key}`, "content-type": `multipart/form-data; boundary=${boundary}` };
  const init = { method: "POST", headers, body: ReadableStream.from(body()), duplex: "half" } as const;
  return fetch(`${server.url}/api/v1/convert`, init);
}

it("a crash between publishing a result and recording it leaks no budget", async () => {
  const home = await mkdtemp(join(tmpdir(), "filemill-budgets-"));
  const preload = new URL("../faults/preload.ts", import.meta.url).href;
  const env = { ...behindProxy, FAULTS_DIR: home, NODE_OPTIONS: `--import ${preload}` };
  await using server = await startServer(env, plansWith({}, { maxInputMb: 1, maxStoredMb: 2 }));
  const flac = await silentFlac(8, server.dataDir);
  const death = strikeAt(home, "result stored", "SIGKILL", 60_000);
  const { id } = await jobOf(await post(server, { to: "wav", file: flac, name: "a.flac", headers: { prefer: "respond-async" } }));
  expect(await death).toBe(server.child.pid);
  await using again = await server.restart();
  await expect.poll(async () => (await jobIn(again, id)).status).toBe("done");
  // The result published first stays on disk until the sweep, and is charged to nobody.
  const results = (await filesUnder(join(again.dataDir, "blobs"))).length;
  expect(results).toBeGreaterThan(1);
  const stored = async () => /filemill_stored_bytes\{class="account"\} (\d+)/.exec(await (await fetch(`${again.url}/metrics`)).text())?.[1];
  const { job } = JSON.parse(await (await call(again, `/api/v1/jobs/${id}`)).text());
  expect(await stored()).toBe(String(job.bytes));
  await call(again, `/api/v1/jobs/${id}`, { method: "DELETE" });
  expect(await stored()).toBe("0");
  await rm(home, { recursive: true });
});

it("a result over the plan's limit ends the run early with QUOTA_EXCEEDED", async () => {
  await using server = await startServer(behindProxy, plansWith({}, { maxResultMb: 70 }));
  const flac = await silentFlac(2400, server.dataDir);
  let job = await jobOf(await post(server, { to: "wav", file: flac, name: "a.flac", headers: { prefer: "respond-async" } }));
  let most = 0;
  while (["queued", "running"].includes(job.status)) {
    most = Math.max(most, await bytesUnder(join(server.dataDir, "scratch")));
    job = await jobIn(server, job.id);
  }
  expect(job.error).toMatchObject({ code: "QUOTA_EXCEEDED", message: expect.stringContaining("70 MB") });
  // 423 MB were never written.
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(150e6);
  await expect.poll(() => bytesUnder(join(server.dataDir, "blobs"))).toBeLessThan(1e6);
});

it("used-up processor time is answered with 429 and the time to wait", async () => {
  await using server = await startServer(behindProxy, plansWith({}, { processorSecondsPerHour: 1 }));
  const picture = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="700" height="700"><filter id="a"><feTurbulence numOctaves="9"/></filter><rect width="700" height="700" filter="url(#a)"/></svg>`,
  );
  let last = await post(server, { to: "png", file: picture, name: "a.svg" });
  for (let count = 0; last.status === 200 && count < 20; count += 1) last = await post(server, { to: "png", file: picture, name: "a.svg" });
  expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(1000);
  await expectRow(last, { status: 429, code: "QUOTA_EXCEEDED", details: { limitSeconds: 1 } });
  expect(await (await fetch(`${server.url}/metrics`)).text()).toMatch(
    /filemill_quota_refusals_total\{class="account",quota="processor"\} 1\b/,
  );
});
