/** Joins pictures and documents to one TIFF with libtiff: every page of every file, with its compression unchanged. */
import { FilemillError } from "#contract/errors.ts";
import type { FileRef } from "#services/conversion/domain/engine.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { probeOf } from "../shared/tool-run.ts";
import { bound, type Joining, joinEngineOf } from "./join.ts";

const badInput = [
  /Not a TIFF|(?:Can ?not|Failed to|Can't) read (?:TIFF )?(?:directory|header)|Read error (?:on|at|in)|unexpected end of file/i,
];

async function joinTiff({ session, entries, convert }: Joining): Promise<void> {
  const parts: FileRef[] = [];
  for (const entry of entries) parts.push(await convert(entry, "tiff"));
  const { paths, readOnly } = bound(parts);
  const pagesIn = async (files: readonly string[]): Promise<number> => {
    let pages = 0;
    const onLine = (line: string): void => {
      if (line.startsWith("TIFF Directory at offset ")) pages += 1;
    };
    await session.run({ program: "/usr/bin/tiffinfo", args: files, readOnly, onLine });
    return pages;
  };
  const wanted = await pagesIn(paths);
  const args = [...paths, "/job/out"];
  throwIfFailed(await session.run({ program: "/usr/bin/tiffcp", args, readOnly }), badInput, "One of the pictures is damaged.");
  if ((await pagesIn(["/job/out"])) !== wanted) throw new FilemillError("CONVERSION_FAILED", "Not every page could be joined.");
}

export const joinTiffEngine = joinEngineOf({
  id: "join-tiff",
  label: "libtiff, joining files",
  lane: "document",
  packages: ["libarchive-tools", "libtiff-tools"],
  targets: { tiff: { fidelity: "high", cost: 1000 } },
  badInput,
  probe: probeOf("/usr/bin/tiffinfo", ["-h"], /(\d{1,9}\.\d[\d.]*)/),
  join: joinTiff,
});
