import { execFile } from "node:child_process";
import { copyFile, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { strToU8, zipSync } from "fflate";
import { expect, it } from "vitest";

const run = promisify(execFile);

it("reads a diagram of nested paragraphs in linear time", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "unshown-"));
  for (const name of ["packages", "unshown"])
    await copyFile(`services/conversion/engines/office/libreoffice-${name}.py`, join(folder.path, `${name}.py`));
  const nested = `${"<a:p>".repeat(30_000)}<a:t>one two</a:t><a:br/><a:t>three</a:t>${"</a:p>".repeat(30_000)}`;
  const slides = join(folder.path, "slides.pptx");
  await writeFile(slides, zipSync({ "ppt/diagrams/data1.xml": strToU8(`<d xmlns:a="a">${nested}</d>`) }));
  const script = "import sys; sys.path.insert(0, sys.argv[1]); import unshown; print(list(unshown.words_in_diagrams(sys.argv[2])))";
  const { stdout } = await run("/usr/bin/python3", ["-I", "-c", script, folder.path, slides], { timeout: 10_000 });
  expect(stdout.trim()).toBe("['onetwo', 'three']");
});
