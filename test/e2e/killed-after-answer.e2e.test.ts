/**
 * Whatever was promised outlives the process that promised it, and resumes once the
 * service is back (decision 31): with this lease, only if the process's death is noticed.
 */

import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createClient } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { JobService, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { remoteTransport } from "#kit/rpc/transport.ts";
import { call, jobIn, jobOf, post } from "#test/harness/rest.ts";
import { startServer, type TestServer, withoutOffice } from "#test/harness/server.ts";

const rounds = 4;
const longLease = { ...withoutOffice, LEASE_MS: "600000" };

it("a job answered as done survives an immediate kill with its result and no second attempt", async () => {
  await using stack = new AsyncDisposableStack();
  let server = stack.use(await startServer(longLease));
  for (let round = 0; round < rounds; round += 1) {
    const answer = await post(server);
    const { id, status } = await jobOf(answer);
    server.child.kill("SIGKILL");
    const ended = once(server.child, "exit");
    expect([answer.status, status]).toEqual([200, "done"]);
    await ended;
    server = stack.use(await server.restart());
    expect(await recordIn(server, id)).toMatchObject({ state: JobState.DONE, attempts: 1 });
    const result = Buffer.from(await (await call(server, `/api/v1/jobs/${id}/download`)).arrayBuffer());
    expect(result.subarray(8, 12).toString("latin1")).toBe("WEBP");
  }
});

/** Work that is still running when it is observed, even if the observer is delayed for seconds. */
async function makeFilm(): Promise<Buffer<ArrayBuffer>> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-film-"));
  try {
    const source = ["-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=20", "-pix_fmt", "yuv420p"];
    const path = join(folder, "film.mp4");
    await promisify(execFile)("ffmpeg", ["-v", "error", ...source, "-c:v", "libx264", "-preset", "ultrafast", path]);
    return Buffer.from(await readFile(path));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function recordIn(server: TestServer, jobId: string) {
  const transport = remoteTransport(server.rpcUrl, server.rpcToken);
  const accountId = (await createClient(AccountService, transport).verifyKey({ key: server.key })).account?.id ?? "";
  return (await createClient(JobService, transport).getJob({ accountId, jobId })).job;
}

it("a video conversion interrupted by a kill resumes after the restart as its second attempt", {
  timeout: 300_000,
}, async () => {
  await using stack = new AsyncDisposableStack();
  const first = stack.use(await startServer(longLease));
  const answer = await post(first, { to: "webm", name: "film.mp4", file: await makeFilm(), headers: { prefer: "respond-async" } });
  expect(answer.status).toBe(202);
  const { id } = await jobOf(answer);
  // A video conversion reports progress, which shows that its engine is working.
  await expect
    .poll(() => recordIn(first, id), { interval: 50 })
    .toMatchObject({ state: JobState.RUNNING, attempts: 1, progress: expect.any(Number) });
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  const second = stack.use(await first.restart());
  await expect.poll(async () => (await recordIn(second, id))?.attempts).toBe(2);
  await expect.poll(async () => (await jobIn(second, id)).status, { interval: 500, timeout: 200_000 }).toBe("done");
  expect(await recordIn(second, id)).toMatchObject({ state: JobState.DONE, attempts: 2 });
});
