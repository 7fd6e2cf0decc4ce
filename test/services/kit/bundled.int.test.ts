import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { bundled } from "#kit/bundled.ts";

/** Children of this process. */
async function builders(): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [stat, line] = await Promise.all(
        [`/proc/${pid}/stat`, `/proc/${pid}/cmdline`].map((path) => readFile(path, "latin1").catch(() => "")),
      );
      return line?.includes("esbuild") === true && stat?.split(") ").at(-1)?.split(" ")[1] === String(process.pid);
    }),
  );
  return found.filter(Boolean).length;
}

const options = { stdin: { contents: "export const a: number = 1;", loader: "ts" }, write: false, logLevel: "silent" } as const;

it("builds at the same time and one after the other, and leaves no process", async () => {
  const texts = await Promise.all([1, 2, 3].map(async () => (await bundled(options)).outputFiles[0]?.text));
  expect(new Set(texts).size).toBe(1);
  await expect.poll(builders).toBe(0);
  expect((await bundled(options)).outputFiles[0]?.text).toContain("a = 1");
  await expect.poll(builders).toBe(0);
});

it("leaves none after an error either", async () => {
  await expect(bundled({ ...options, stdin: { contents: "const = ;", loader: "ts" } })).rejects.toThrow();
  await expect.poll(builders).toBe(0);
});
