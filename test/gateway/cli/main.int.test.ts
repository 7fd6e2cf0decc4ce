import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const command = join(import.meta.dirname, "../../../gateway/cli/main.ts");

/** In a shell, whose pipes are no sockets as those of Node.js are. */
const piped = (into: string) =>
  promisify(execFile)("bash", ["-o", "pipefail", "-c", `"$0" "$1" formats xlsx --json | ${into}`, process.execPath, command], {
    maxBuffer: 2 ** 24,
  });

test("writes more than a pipe takes at once", async () => {
  const { stdout } = await piped("cat");
  expect(stdout.length).toBeGreaterThan(2 ** 16);
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ from: "xlsx", to: "pdf" }));
});

test("ends quietly when nobody reads on", async () => {
  await expect(piped("head -c 10")).rejects.toMatchObject({ code: 141, stderr: "" });
});
