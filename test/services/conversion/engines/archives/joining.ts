/** Joins files with one engine, as a test does it. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Engine, OptionValues } from "#services/conversion/domain/engine.ts";
import { useBench } from "#test/contract/engine.ts";
import { type ZipPart, zipFile } from "#test/harness/zip-file.ts";

export function joining(engine: Engine) {
  const bench = useBench(engine);
  let count = 0;
  return {
    folder: () => bench.folder,
    async join(parts: readonly ZipPart[], to: string, options: OptionValues = {}) {
      count += 1;
      const path = join(bench.folder, `given-${count}.zip`);
      await writeFile(path, zipFile(parts));
      return bench.convert(path, "zip", to, options);
    },
  };
}
