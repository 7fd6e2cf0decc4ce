/** The order in which test files start: a long one at the end would keep one worker busy while the others idle. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take a minute or more, longest first. The others keep Vitest's order: by size, on a machine without earlier runs. */
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
  "web/converter.e2e",
  "e2e/error-limits.e2e",
  "e2e/hung-process.e2e",
  "e2e/killed-after-answer.e2e",
  "attacks/endless-work.e2e",
  "web/pages.e2e",
  "web/allowance.e2e",
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
