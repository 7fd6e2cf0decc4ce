import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inspectorCommandIn } from "#services/conversion/inspectors/program.ts";

it("reuses the inspector bundle at the next start and rebuilds it if it is stale or corrupt", async () => {
  const folder = await mkdtemp(join(tmpdir(), "filemill-program-"));
  const kept = join(folder, "kept.cjs");
  const started = async (name: string): Promise<Buffer> => {
    await mkdir(join(folder, name));
    await inspectorCommandIn(join(folder, name), kept);
    return readFile(join(folder, name, "inspector.cjs"));
  };
  try {
    const joined = await started("first");
    const { ino } = await stat(kept);
    expect((await started("second")).includes(joined)).toBe(true);
    expect((await stat(kept)).ino).toBe(ino);
    const whole = await readFile(kept, "utf8");
    for (const spoilt of [whole.replace(/"(\d+) (\d)/, '"$1$2 '), whole.slice(1), "", "//[]\nmodule.exports = 0"]) {
      await writeFile(kept, spoilt);
      await rm(join(folder, "again"), { recursive: true, force: true });
      expect((await started("again")).equals(joined)).toBe(true);
    }
    expect(await readFile(kept, "utf8")).toBe(whole);
  } finally {
    await rm(folder, { recursive: true });
  }
});
