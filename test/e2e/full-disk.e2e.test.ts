/** A disk that fills up and is freed again, under a service that is not restarted. */
import { open, readdir, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { footprintAtRest } from "#test/harness/footprint.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";

const isRoot = process.getuid?.() === 0;
const mounts = ['mkdir -p "$HOME_DIR/data"', 'mount -t tmpfs -o size=300m,mode=711 tmpfs "$HOME_DIR/data"'];

/** DATA_DIR as the service sees it in its own mount namespace. */
const dataOf = (server: TestServer): string => `/proc/${server.child.pid}/root${server.dataDir}`;

async function fill(server: TestServer, leaveBytes: number): Promise<void> {
  const filler = await open(join(dataOf(server), "filler"), "a");
  const volume = await statfs(dataOf(server));
  try {
    for (let left = volume.bavail * volume.bsize - leaveBytes; left > 0; left -= 2 ** 20) {
      await filler.write(Buffer.alloc(Math.min(left, 2 ** 20)));
    }
  } catch (error) {
    // Another process took the last bytes.
    expect(error).toMatchObject({ code: "ENOSPC" });
  } finally {
    await filler.close();
  }
}

async function convert(server: TestServer, picture: Buffer): Promise<{ status: number; retryAfter: string | null; code: unknown }> {
  const form = new FormData();
  form.append("to", "webp");
  form.append("file", new File([new Uint8Array(picture)], "a.png"));
  const headers = { authorization: `Bearer ${server.key}` };
  const answer = await fetch(`${server.url}/api/v1/convert`, { method: "POST", headers, body: form });
  const body = JSON.parse(await answer.text());
  return { status: answer.status, retryAfter: answer.headers.get("retry-after"), code: body.error?.code };
}

// Only root may mount.
describe.skipIf(!isRoot)("a full disk", () => {
  it("is answered with 503 and leaves nothing behind, and the service recovers by itself", { timeout: 240_000 }, async () => {
    const settings = { MIN_FREE_DISK_MB: "0", DOCUMENT_SLOTS: "0", OFFICE_SLOTS: "0", MEDIA_SLOTS: "0" };
    await using server = await startServer(settings, undefined, mounts);
    const plain = { create: { width: 8, height: 8, channels: 3, background: "teal" } } as const;
    const picture = await sharp(plain).png().toBuffer();
    // The broker sometimes frees a page, so even the fullest disk has some room, and an upload that fits is rightly accepted.
    const small = Buffer.concat([picture, Buffer.alloc(200_000)]);
    const large = Buffer.concat([picture, Buffer.alloc(2_000_000)]);
    const refusal = { status: 503, retryAfter: expect.stringMatching(/^\d+$/), code: "UNAVAILABLE" };
    expect((await convert(server, small)).status).toBe(200);

    await fill(server, 1_000_000);
    expect(await convert(server, large)).toEqual(refusal);
    expect((await convert(server, small)).status).toBe(200);
    expect(await readdir(join(dataOf(server), "blobs/partial"))).toEqual([]);
    // Inputs are removed after the answer, which would free space on the filled disk: two results remain.
    expect((await footprintAtRest(server, dataOf(server))).blobs).toBe(2);

    // Long enough for the broker to hit the full disk too, which it does not survive.
    for (let second = 0; second < 12; second += 1) {
      await fill(server, 0);
      expect(await convert(server, small)).toEqual(refusal);
      await sleep(1000);
    }
    await rm(join(dataOf(server), "filler"));
    await expect.poll(async () => (await convert(server, small)).status, { timeout: 60_000, interval: 500 }).toBe(200);
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200);
    await expect.poll(() => readdir(join(dataOf(server), "blobs/partial"))).toEqual([]);

    const jobs = await fetch(`${server.url}/api/v1/jobs?limit=100`, { headers: { authorization: `Bearer ${server.key}` } });
    const list: { status: string }[] = JSON.parse(await jobs.text()).jobs;
    expect(list.length).toBeGreaterThanOrEqual(3);
    // Jobs accepted while the broker was down are withdrawn or done by now.
    await expect.poll(async () => (await unfinishedOf(server)).length).toBe(0);
  });
});

async function unfinishedOf(server: TestServer): Promise<unknown[]> {
  const answer = await fetch(`${server.url}/api/v1/jobs?limit=100`, { headers: { authorization: `Bearer ${server.key}` } });
  const { jobs }: { jobs: { status: string }[] } = JSON.parse(await answer.text());
  return jobs.filter(({ status }) => status === "queued" || status === "running");
}
