/** One budget for each caller, against the whole product: what guests keep cannot hurt an account. */
import { execFile } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, type BrowserClient, openBrowserClient } from "#test/harness/browser-client.ts";
import { filesUnder } from "#test/harness/folders.ts";
import { call, expectRow, jobOf, post, removeAllJobs } from "#test/harness/rest.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";
import { wavHeader } from "#test/harness/wav-file.ts";

const isRoot = process.getuid?.() === 0;
const settings = { DOCUMENT_SLOTS: "0", OFFICE_SLOTS: "0", TRUSTED_PROXIES: "127.0.0.1" };
const rates = { requestsPerMinute: 1_000_000, maxUnfinishedJobs: 20, retentionSeconds: 3600 };
const plus = { apiAccess: true, maxInputMb: 500, ...rates };
const plansWith = (free: object, own: object = {}) => ({
  free: { apiAccess: false, maxInputMb: 25, ...rates, ...free },
  plus: { ...plus, ...own },
});

/** So many seconds of nothing in stereo: a few kilobytes that are 0.1764 MB a second as WAV. */
async function silence(seconds: number, folder: string): Promise<Buffer<ArrayBuffer>> {
  const path = join(folder, `../silence-${seconds}.flac`);
  const source = ["-f", "lavfi", "-i", "anullsrc=r=44100:cl=stereo", "-t", String(seconds)];
  await promisify(execFile)("ffmpeg", ["-v", "error", "-y", ...source, "-sample_fmt", "s16", path]);
  return readFile(path);
}

/** A browser behind the proxy, with a jar of its own. */
function guestAt(server: TestServer, address: string): BrowserClient {
  const guest = openBrowserClient(server.url);
  guest.headers.set("x-forwarded-for", address);
  return guest;
}

/** Converts, and waits for the end of what is always queued. */
async function toWav(guest: BrowserClient, flac: Buffer<ArrayBuffer>): Promise<Answer> {
  const first = await guest.convert("wav", flac, "a.flac");
  if (first.status !== 202) return first;
  for (;;) {
    const look = await guest.ask("GET", `/web/v1/jobs/${first.json.job.id}`);
    if (!["queued", "running"].includes(look.json.job.status)) return look;
    await sleep(100);
  }
}

const codeOf = (answer: Answer): string => answer.json.error?.code ?? answer.json.job.error?.code ?? answer.json.job.status;

async function storedBytes(dataDir: string): Promise<number> {
  const sizes = await Promise.all(
    (await filesUnder(join(dataDir, "blobs"))).map((path) =>
      stat(path).then(
        (found) => found.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Converts a picture again and again; resolves, once told to stop, with every status that came. */
function keepConverting(server: TestServer) {
  let goesOn = true;
  const run = async (): Promise<number[]> => {
    const statuses: number[] = [];
    while (goesOn) {
      const answer = await post(server);
      statuses.push(answer.status);
      const { id } = await jobOf(answer);
      await call(server, `/api/v1/jobs/${id}`, { method: "DELETE" });
    }
    return statuses;
  };
  const running = run();
  return () => {
    goesOn = false;
    return running;
  };
}

describe("five long silences of guests", () => {
  let server: TestServer;
  let flac: Buffer<ArrayBuffer>;
  beforeAll(async () => {
    server = await startServer(settings, plansWith({ maxStoredMb: 250, maxResultMb: 120 }));
    flac = await silence(600, server.dataDir);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("with a new cookie each fill the budget of their address and no more, and an account is unharmed throughout", async () => {
    const stop = keepConverting(server);
    const guests = Array.from({ length: 5 }, () => guestAt(server, "203.0.113.7"));
    const codes = (await Promise.all(guests.map((guest) => toWav(guest, flac)))).map(codeOf);
    expect(codes.toSorted()).toEqual(["QUOTA_EXCEEDED", "QUOTA_EXCEEDED", "QUOTA_EXCEEDED", "done", "done"]);
    const statuses = await stop();
    expect(statuses.length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([200]));
    await expect.poll(() => storedBytes(server.dataDir)).toBeLessThan(250e6);
    expect(codeOf(await toWav(guestAt(server, "203.0.113.8"), flac))).toBe("done");

    // Killed, with the count in no memory any more.
    server.child.kill("SIGKILL");
    await new Promise((resolve) => server.child.once("close", resolve));
    await using again = await server.restart();
    expect(codeOf(await toWav(guestAt(again, "203.0.113.7"), flac))).toBe("QUOTA_EXCEEDED");
    const happy = guests[codes.indexOf("done")];
    const [job] = (await openAgain(happy, again).ask("GET", "/web/v1/jobs")).json.jobs;
    expect((await openAgain(happy, again).ask("DELETE", `/web/v1/jobs/${job.id}`)).status).toBe(204);
    expect(codeOf(await toWav(guestAt(again, "203.0.113.7"), flac))).toBe("done");
  });
});

/** The same browser at another port. */
function openAgain(guest: BrowserClient | undefined, server: TestServer): BrowserClient {
  const next = openBrowserClient(server.url);
  for (const [name, value] of guest?.cookies ?? []) next.cookies.set(name, value);
  for (const [name, value] of guest?.headers ?? []) next.headers.set(name, value);
  return next;
}

describe("a budget", () => {
  let server: TestServer;
  beforeAll(async () => {
    const own = { maxInputMb: 1, maxStoredMb: 2, maxResultMb: 80 };
    server = await startServer(settings, plansWith({ maxInputMb: 1, maxStoredMb: 1 }, own));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("is that of an IPv4 address, or of an IPv6 /64, behind a proxy that is trusted", async () => {
    const flac = await silence(5, server.dataDir);
    const codeAt = async (address: string): Promise<string> => codeOf(await toWav(guestAt(server, address), flac));
    expect(await codeAt("2001:db8:1:2::1")).toBe("done");
    expect(await codeAt("2001:db8:1:2:ffff:1:2:3")).toBe("QUOTA_EXCEEDED");
    expect(await codeAt("2001:db8:1:3::1")).toBe("done");
    expect(await codeAt("198.51.100.1")).toBe("done");
    expect(await codeAt("::ffff:198.51.100.1")).toBe("QUOTA_EXCEEDED");
  });

  it("that is full is told 507 before the body is read, with what to delete; deleting makes room", async () => {
    const flac = await silence(11, server.dataDir);
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

  it("bounds the uploads that are under way together", async () => {
    const wav = Buffer.concat([wavHeader(900_000, { sampleRate: 8000, channels: 1, sampleBytes: 1 }), Buffer.alloc(900_000, 128)]);
    const held = Promise.withResolvers<void>();
    const pending = streamed(server, wav, held.promise);
    const partial = join(server.dataDir, "blobs/partial");
    const arrived = async () => (await readdir(partial)).length;
    await expect.poll(arrived).toBeGreaterThan(0);
    const others = await Promise.all([1, 2].map(() => streamed(server, wav, Promise.resolve())));
    const codes = await Promise.all(others.map(async (answer) => ({ status: answer.status, text: await answer.text() })));
    expect(codes.some(({ status, text }) => status === 507 && text.includes("QUOTA_EXCEEDED"))).toBe(true);
    held.resolve();
    expect((await pending).status).toBe(200);
    await removeAllJobs(server);
  });
});

/** A body of no stated length, whose end waits. */
function streamed(server: TestServer, file: Buffer<ArrayBuffer>, end: Promise<void>): Promise<Response> {
  const boundary = "xxxxxxxx";
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="to"\r\n\r\nflac\r\n--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`;
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(head);
    yield file;
    await end;
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  const headers = { authorization: `Bearer ${server.key}`, "content-type": `multipart/form-data; boundary=${boundary}` };
  const init = { method: "POST", headers, body: ReadableStream.from(body()), duplex: "half" } as const;
  return fetch(`${server.url}/api/v1/convert`, init);
}

it("a result over the plan's size ends the run early, as the account's error and not as the file's", async () => {
  await using server = await startServer(settings, plansWith({}, { maxResultMb: 70 }));
  const flac = await silence(2400, server.dataDir);
  const answer = await post(server, { to: "wav", file: flac, name: "a.flac", headers: { prefer: "wait=60" } });
  const job = answer.status === 202 ? (await endOf(server, (await jobOf(answer)).id)).error : JSON.parse(await answer.text()).job.error;
  expect(job).toMatchObject({ code: "QUOTA_EXCEEDED", message: expect.stringContaining("70 MB") });
  // 423 MB were never written.
  expect(await storedBytes(server.dataDir)).toBeLessThan(1e6);
});

async function endOf(server: TestServer, id: string) {
  const ended = await call(server, `/api/v1/jobs/${id}`, { headers: { prefer: "wait=60" } });
  return jobOf(ended);
}

it("processor time that is used up is told 429 with the time to wait, and shown to its account", async () => {
  await using server = await startServer(settings, plansWith({}, { processorSecondsPerHour: 1 }));
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

// Only root may mount.
describe.skipIf(!isRoot)("a disk that is short", () => {
  const mounts = ['mkdir -p "$HOME_DIR/data"', 'mount -t tmpfs -o size=500m,mode=711 tmpfs "$HOME_DIR/data"'];

  it("takes the oldest results of guests, and an account converts throughout", async () => {
    const disk = { ...settings, MIN_FREE_DISK_MB: "50", GUEST_RESERVE_MB: "150", MEDIA_SLOTS: "1" };
    await using server = await startServer(disk, plansWith({ maxStoredMb: 120, maxResultMb: 120 }), mounts);
    const flac = await silence(600, server.dataDir);
    const stop = keepConverting(server);
    const guests = Array.from({ length: 6 }, (_, index) => guestAt(server, `203.0.113.${index}`));
    const ids: string[] = [];
    for (const guest of guests) {
      // Where the reserve is all that is left, a guest waits until the others' results have gone.
      let answer = await toWav(guest, flac);
      while (answer.status === 503) {
        await sleep(200);
        answer = await toWav(guest, flac);
      }
      expect(codeOf(answer)).toMatch(/^(done|expired)$/);
      ids.push(answer.json.job.id);
    }
    expect(new Set(await stop())).toEqual(new Set([200]));
    const statuses = await Promise.all(
      guests.map(async (guest, index) => (await guest.ask("GET", `/web/v1/jobs/${ids[index]}`)).json.job.status),
    );
    expect(statuses[0]).toBe("expired");
    expect(statuses.lastIndexOf("expired")).toBeLessThan(statuses.indexOf("done"));
    const gone = await guests[0]?.ask("GET", `/web/v1/jobs/${ids[0]}/download`);
    expect([gone?.status, gone?.json.error.code]).toEqual([410, "RESULT_EXPIRED"]);
    expect(server.log()).toContain("job.evicted");
  });
});
