/** `doctor` on a machine without some of the tools: private mounts hide them from one process. */
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cloneIsOpen } from "#test/harness/clone.ts";

const run = promisify(execFile);
const hidden = ["/usr/bin/icns2png", "/usr/bin/pdftoppm", "/usr/bin/pdftocairo"];

/** A separate folder, since other processes in this clone use the default one. */
let dataDir: string;
beforeAll(async () => {
  await mkdir(".tmp", { recursive: true });
  dataDir = await mkdtemp(resolve(".tmp/filemill-doctor-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** Table rows by engine, and the output below the table. */
async function doctor(missing: readonly string[] = [], more: Readonly<Record<string, string>> = {}) {
  const mounts = missing.map((path) => `mount --bind /dev/null ${path} && `).join("");
  const command = `${mounts}exec "$0" gateway/setup/filemill.mjs doctor`;
  const { stdout } = await run("unshare", ["--mount", "sh", "-c", command, process.execPath], {
    env: { ...process.env, DATA_DIR: dataDir, ...more },
  });
  const lines = stdout.trim().split("\n");
  const table = lines.filter((line) => /\S {2,}\S+.* {2,}\d+ {2,}\S/.test(line)).map((line) => line.split(/ {2,}/));
  return { engines: new Map(table.map(([name = "", ...rest]) => [name, rest])), said: lines.slice(table.length).join("\n") };
}

it("reports a missing tool and the package to install, and leaves other engines unaffected", { timeout: 240_000 }, async () => {
  const [whole, part] = [await doctor(), await doctor(hidden)];
  expect(whole.engines.size).toBeGreaterThan(25);
  expect(whole.engines.get("Poppler")).toEqual([expect.stringMatching(/^\d+\.\d/), expect.stringMatching(/^[1-9]/), "-"]);
  const without = new Map([
    ...whole.engines,
    ["Poppler", ["not found", "0", "poppler-utils"]],
    ["Poppler and libtiff", ["not found", "0", "poppler-utils libtiff-tools"]],
    ["libicns", ["not found", "0", "icnsutils imagemagick-6.q16"]],
  ]);
  expect(part.engines).toEqual(without);
  expect(part.said).toMatch(/apt-get install .*poppler-utils.*icnsutils/);
});

// The weaker sandbox cannot hide the clone's location: its user must be able to enter it.
it.runIf(cloneIsOpen)("does not suggest installing Chromium if the degraded sandbox withholds it", { timeout: 240_000 }, async () => {
  await chmod(dataDir, 0o711);
  const weak = await doctor(["/usr/bin/bwrap"], { SANDBOX: "degraded" });
  expect(weak.engines.get("Chromium")).toEqual(["withheld", "0", "-"]);
  expect(weak.engines.get("LibreOffice")?.[0]).toMatch(/^\d/);
  expect(weak.engines.get("Poppler")?.[0]).toMatch(/^\d/);
  expect(weak.said).toMatch(/^Not offered without namespaces: .*Chromium/m);
  expect(weak.said).not.toMatch(/apt-get install .*chromium/);
});
