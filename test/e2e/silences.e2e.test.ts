/** Guests who fill the disk with a few kilobytes of input: their results must not harm an account. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserClient, openBrowserClient } from "#test/harness/browser-client.ts";
import { bytesUnder } from "#test/harness/folders.ts";
import { call, jobOf, post } from "#test/harness/rest.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";
import { behindProxy, codeOf, guestAt, plansWith, silentFlac, toWav } from "#test/harness/silence.ts";

const isRoot = process.getuid?.() === 0;

/** Converts a picture repeatedly; resolves, once stopped, with every status received. */
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

describe("five long recordings of silence from guests", () => {
  let server: TestServer;
  let flac: Buffer<ArrayBuffer>;
  beforeAll(async () => {
    server = await startServer(behindProxy, plansWith({ maxStoredMb: 250, maxResultMb: 120 }));
    flac = await silentFlac(600, server.dataDir);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("with new cookies fill only their address's budget and do not affect an account", async () => {
    const stop = keepConverting(server);
    const guests = Array.from({ length: 5 }, () => guestAt(server, "203.0.113.7"));
    const codes = (await Promise.all(guests.map((guest) => toWav(guest, flac)))).map(codeOf);
    expect(codes.toSorted()).toEqual(["QUOTA_EXCEEDED", "QUOTA_EXCEEDED", "QUOTA_EXCEEDED", "done", "done"]);
    const statuses = await stop();
    expect(statuses.length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([200]));
    await expect.poll(() => bytesUnder(join(server.dataDir, "blobs"))).toBeLessThan(250e6);
    expect(codeOf(await toWav(guestAt(server, "203.0.113.8"), flac))).toBe("done");

    // Killed, so that the count in memory is lost.
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

// Only root may mount.
describe.skipIf(!isRoot)("a nearly full disk", () => {
  const mounts = ['mkdir -p "$HOME_DIR/data"', 'mount -t tmpfs -o size=500m,mode=711 tmpfs "$HOME_DIR/data"'];

  it("evicts guests' oldest results while an account keeps converting", async () => {
    const disk = { ...behindProxy, MIN_FREE_DISK_MB: "50", GUEST_RESERVE_MB: "150", MEDIA_SLOTS: "1" };
    await using server = await startServer(disk, plansWith({ maxStoredMb: 120, maxResultMb: 120 }), mounts);
    const flac = await silentFlac(600, server.dataDir);
    const stop = keepConverting(server);
    const guests = Array.from({ length: 6 }, (_, index) => guestAt(server, `203.0.113.${index}`));
    const ids: string[] = [];
    for (const guest of guests) {
      // If only the reserve is left, a guest waits until the others' results are gone.
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
