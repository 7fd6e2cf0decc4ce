/** Counts what is in a file. The counters read it once from beginning to end, or use only what it states about itself. */
import { type Countable, type Counts, countable } from "#services/conversion/domain/counts.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { cellsOf } from "./cells.ts";
import { entriesOf } from "./entries.ts";
import { facesOf } from "./faces.ts";
import { glyphsOf } from "./glyphs.ts";
import { lettersOf } from "./letters.ts";
import { mediaOf, pagesOf } from "./pages.ts";

type Asked = { readonly from?: unknown; readonly to?: unknown };

/** In a source, counts what certainly exists; in a result, what may exist. All doubts favour the result. */
export async function countsOf(source: ByteSource, result: ByteSource, { from, to }: Asked): Promise<Answer<"counts">> {
  return { source: await countsIn(source, String(from), true), result: await countsIn(result, String(to), false) };
}

async function countsIn(file: ByteSource, format: string, isSource: boolean): Promise<Answer<"counts">["source"]> {
  const counts = await countAll(file, format, isSource).catch(noCounts);
  const told = (name: Countable): [Countable, number | undefined] => [name, Number.isSafeInteger(counts[name]) ? counts[name] : undefined];
  return Object.fromEntries(Object.keys(countable).map((name) => told(name as Countable))) as Answer<"counts">["source"];
}

/** A file that is damaged, or that deviates from its format, is left to its engine. */
function noCounts(): Counts {
  return {};
}

async function countAll(file: ByteSource, format: string, isSource: boolean): Promise<Counts> {
  return {
    pages: await pagesOf(file, format),
    letters: await lettersOf(file, format, isSource),
    entries: await entriesOf(file, format, isSource),
    faces: await facesOf(file, format),
    glyphs: await glyphsOf(file, format),
    media: await mediaOf(file, format),
    ...(await cellsOf(file, format, isSource)),
  };
}
