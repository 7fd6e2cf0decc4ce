/** A backup of a busy service, and a new installation restored from it. */
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import { expect, test } from "vitest";
import { runCli } from "#test/harness/cli.ts";
import { call, jobIn, jobOf, post } from "#test/harness/rest.ts";
import { startServer, type TestServer, withoutOffice } from "#test/harness/server.ts";

const unfinished = ["queued", "running"];

/** Converts until stopped, without waiting for results, so that jobs are in every state. Resolves with all ids. */
async function keepConverting(server: TestServer, picture: Uint8Array<ArrayBuffer>, stop: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  while (!stop.aborted) {
    const answer = await post(server, { to: "avif", file: picture, headers: { prefer: "respond-async" } });
    if (answer.ok) ids.push((await jobOf(answer)).id);
    else await answer.text();
    await sleep(10);
  }
  return ids;
}

test("a backup taken under load restores into an empty DATA_DIR and its unfinished jobs finish", async () => {
  await using server = await startServer(withoutOffice);
  const folder = await mkdtemp(join(tmpdir(), "filemill-backup-"));
  const picture = new Uint8Array(
    await sharp({ create: { width: 300, height: 200, channels: 3, background: "teal" } })
      .png()
      .toBuffer(),
  );
  await runCli(server, ["accounts", "create", "second@example.com", "--plan", "plus"]);
  const secondKey = (await runCli(server, ["keys", "create", "second@example.com"])).trim();
  const first = await jobOf(await post(server, { to: "webp", file: picture }));
  expect(first.status).toBe("done");

  const stop = new AbortController();
  const load = Promise.all([1, 2, 3].map(() => keepConverting(server, picture, stop.signal)));
  await expect.poll(async () => JSON.parse(await (await call(server, "/api/v1/jobs?limit=100")).text()).jobs.length).toBeGreaterThan(10);
  await runCli(server, ["backup", join(folder, "it")]);
  stop.abort();
  const made = (await load).flat();

  const manifest = JSON.parse(await readFile(join(folder, "it", "manifest.json"), "utf8"));
  expect(manifest.missing).toBe(0);
  await expect(runCli(server, ["backup", join(folder, "it")])).rejects.toThrow("is there already");
  await expect(runCli(server, ["restore", join(folder, "it")])).rejects.toThrow("stop it first");

  const ended = once(server.child, "close");
  server.child.kill("SIGTERM");
  await ended;
  await expect(runCli(server, ["restore", join(folder, "it")])).rejects.toThrow("is not empty");
  await rm(server.dataDir, { recursive: true });
  await runCli(server, ["restore", join(folder, "it")]);
  await using again = await server.restart();

  // Nothing is announced as new: neither a first account nor a first key.
  expect(again.out()).not.toContain("Begin here");
  expect((await call(again, "/api/v1/jobs", { key: secondKey })).status).toBe(200);
  const { jobs } = JSON.parse(await (await call(again, "/api/v1/jobs?limit=100")).text());
  const restored: string[] = jobs.map(({ id }: { id: string }) => id);
  expect(restored.length).toBeGreaterThan(10);
  // Some of the last ones were created after the backup.
  expect(made.filter((id) => restored.includes(id)).length).toBeGreaterThan(5);
  for (const id of [first.id, ...restored]) {
    await expect.poll(async () => unfinished.includes((await jobIn(again, id)).status)).toBe(false);
    expect(await jobIn(again, id)).toMatchObject({ status: "done", error: null });
    if (restored.indexOf(id) % 5 > 0) continue;
    const result = await call(again, `/api/v1/jobs/${id}/download`);
    expect(await sharp(Buffer.from(await result.arrayBuffer())).metadata()).toMatchObject({ width: 300, height: 200 });
  }
  expect((await readdir(join(folder, "it"))).sort()).toEqual(["blobs", "device-key", "manifest.json", "records"]);
  await rm(folder, { recursive: true });
});
