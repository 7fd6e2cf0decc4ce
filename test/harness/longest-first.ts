/** The order in which files of tests begin: a long one that comes last keeps one worker busy while the others have nothing left to do. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Those that take a minute or more, the longest first. The others follow as Vitest orders them: by size, on a machine that has not run them yet. */
const longFiles = [
  "attacks/attacks.e2e",
  "prove/tiny.e2e",
  "contract/options/options.int",
  "contract/notes/notes.int",
  "fuzz/regressions.int",
  "engines/documents/calibre.int",
  "engines/media/ffmpeg.int",
  "engines/data/data.int",
  "conversion/crashes.int",
  "attacks/endless-work.e2e",
].map((name) => `/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = longFiles.findIndex((name) => moduleId.endsWith(name));
      return place < 0 ? longFiles.length : place;
    };
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
