import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openToolSession } from "#services/conversion/engines/shared/tool-run.ts";
import { opened } from "#test/harness/opened.ts";
import { openHost } from "#test/services/conversion/sandbox/host.ts";

const host = opened(() => openHost("full"));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-tool-"));
  await writeFile(join(folder, "in"), "x", { mode: 0o644 });
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function run(script: string, spent: number[] = []): Promise<unknown> {
  const input = { path: join(folder, "in"), format: "txt", sizeBytes: 1 };
  const more = { outputBytes: 1_000_000, onSpent: (ms: number) => void spent.push(ms) };
  const task = { input, outputPath: join(folder, "out"), timeoutMs: 60_000, signal: new AbortController().signal, ...more };
  await using session = await openToolSession(host.sandbox, task);
  return (await session.run({ program: "/usr/bin/perl", args: ["-e", script] })).exitCode;
}

describe("a tool that writes more than allowed", () => {
  const write = 'open(my $f, ">", "/job/out"); print $f "a" x 3_000_000; close $f or exit 1';

  it.each([
    ["dies from the signal", write],
    ["handles the failed write itself", `$SIG{XFSZ} = "IGNORE"; ${write}`],
  ])("is told from one that failed otherwise, even if it %s", async (_, script) => {
    await expect(run(script)).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX", limitBytes: 1_000_000 });
    expect(await run('open(my $f, ">", "/job/out"); print $f "a"; exit 3')).toBe(3);
  });
});

it("reports the CPU time of each tool run", async () => {
  const spent: number[] = [];
  await run("for (;;) { $n++ for 1 .. 100_000; my ($user) = times; last if $user > 1.5 }", spent);
  expect(spent).toHaveLength(1);
  expect(spent[0]).toBeGreaterThan(1000);
});
