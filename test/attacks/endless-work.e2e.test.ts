/** Class T1: a small file that takes endless work is stopped by its CPU time, whatever the time limit. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Footprint, footprintAtRest, leftBehind } from "#test/harness/footprint.ts";
import { startServer, type TestServer, withoutOffice } from "#test/harness/server.ts";
import { harmless } from "./harmless.ts";
import { convert, hopsOf, removeJob } from "./target.ts";

let server: TestServer;
let before: Footprint;
beforeAll(async () => {
  server = await startServer({ ...withoutOffice, CONVERSION_TIMEOUT_MS: "3600000" });
  const { jobId = "" } = await convert(server, harmless.ghostscript);
  await removeJob(server, jobId);
  before = await footprintAtRest(server);
});
afterAll(() => server?.[Symbol.asyncDispose]());

it("T1-loop: a thirty-byte page that draws forever is stopped by its CPU time", { timeout: 900_000 }, async () => {
  const pid = server.child.pid;
  const runs = await hopsOf(server, "ghostscript");
  const answer = await convert(server, { to: "pdf", fileName: "a.ps", content: "%!PS\n{ 1 pop } loop showpage\n" });
  expect(answer).toMatchObject({ status: 422, code: "CONVERSION_TIMEOUT" });
  expect(answer.body.toString()).toContain("needs far more work than is normal for files of this size");
  if (answer.jobId !== undefined) await removeJob(server, answer.jobId);
  expect(await hopsOf(server, "ghostscript")).toBe(runs + 1);
  const next = await convert(server, harmless.ghostscript);
  expect(next.status).toBe(200);
  await removeJob(server, next.jobId ?? "");
  expect([server.child.pid, server.child.exitCode]).toEqual([pid, null]);
  await expect.poll(() => leftBehind(server, before)).toEqual([]);
});
