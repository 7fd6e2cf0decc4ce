import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { bundled } from "#kit/bundled.ts";

/** Children of this process. */
async function builderPids(): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const isBuilder = await Promise.all(
    pids.map(async (pid) => {
      const [stat, line] = await Promise.all(
        [`/proc/${pid}/stat`, `/proc/${pid}/cmdline`].map((path) => readFile(path, "latin1").catch(() => "")),
      );
      return line?.includes("esbuild") === true && stat?.split(") ").at(-1)?.split(" ")[1] === String(process.pid);
    }),
  );
  return pids.filter((_, index) => isBuilder[index]).map(Number);
}
const builders = async (): Promise<number> => (await builderPids()).length;

const options = { stdin: { contents: "export const a: number = 1;", loader: "ts" }, write: false, logLevel: "silent" } as const;

it("builds concurrently and in sequence, and leaves no process behind", async () => {
  const texts = await Promise.all([1, 2, 3].map(async () => (await bundled(options)).outputFiles[0]?.text));
  expect(new Set(texts).size).toBe(1);
  await expect.poll(builders).toBe(0);
  expect((await bundled(options)).outputFiles[0]?.text).toContain("a = 1");
  await expect.poll(builders).toBe(0);
});

it("rebuilds when its process is killed", async () => {
  // Large enough to be still in progress when its process ends.
  const contents = Array.from({ length: 20_000 }, (_, index) => `export const a${index}: number = ${index};`).join("\n");
  const building = bundled({ ...options, stdin: { contents, loader: "ts" } });
  await expect.poll(async () => (await builderPids()).length, { interval: 1 }).toBe(1);
  for (const pid of await builderPids()) process.kill(pid, "SIGKILL");
  expect((await building).outputFiles[0]?.text).toContain("a19999 = 19999");
});

it("leaves no process behind after a build error", async () => {
  await expect(bundled({ ...options, stdin: { contents: "const = ;", loader: "ts" } })).rejects.toThrow();
  await expect.poll(builders).toBe(0);
});
