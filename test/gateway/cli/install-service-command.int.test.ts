import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { unitOf } from "#gateway/cli/system-unit.ts";
import { filemill } from "./command-line.ts";

const hasSystemd = existsSync("/run/systemd/system");
const analyze = "/usr/bin/systemd-analyze";

test.skipIf(hasSystemd)("without systemd, installs nothing and says why in one line", async () => {
  expect(await filemill(["install-service"])).toEqual({
    code: 1,
    out: "",
    err: expect.stringMatching(/^BAD_REQUEST: [^\n]+systemd[^\n]+$/),
  });
});

test.skipIf(!existsSync(analyze))("systemd-analyze finds no problem with the unit", async () => {
  const folder = await mkdtemp(join(tmpdir(), "filemill-unit-"));
  try {
    const file = join(folder, "filemill.service");
    // It requires everything that the unit names to exist.
    const installation = { clone: process.cwd(), node: process.execPath, user: "daemon" };
    const unit = unitOf(readFileSync(".deploy/filemill.service", "utf8"), installation);
    await writeFile(file, unit);
    const { stdout, stderr } = await promisify(execFile)(analyze, ["verify", "--man=no", file]);
    expect(ownLines(stdout + stderr, file)).toEqual([]);
    const { stdout: exposure } = await promisify(execFile)(analyze, ["security", "--offline=true", "--threshold=50", "--no-pager", file]);
    expect(exposure).toMatch(/Overall exposure level/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** The output also covers other units on this machine. */
function ownLines(said: string, file: string): readonly string[] {
  return said.split("\n").filter((line) => line.includes(file) || line.startsWith("filemill.service"));
}
