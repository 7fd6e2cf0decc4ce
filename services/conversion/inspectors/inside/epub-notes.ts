/** Rewrites a book so that Pandoc finds its footnotes, reads all of its chapters, and names its authors in their order. */
import { type Zippable, zipSync } from "fflate";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { unpacked, writePieces } from "./docx-code.ts";
import { targetsIn, withNoteAnchors } from "./note-anchors.ts";
import { contentOf } from "./remote-file.ts";

/** Writes the rewritten book if there is something to change. */
export async function readableEpub(file: ByteSource): Promise<Answer<"readableEpub">> {
  const parts = unpacked(await contentOf(file)) ?? {};
  const chapters = Object.keys(parts)
    .filter((name) => /\.x?html?$/i.test(name))
    .map((name) => ({ name, text: Buffer.from(parts[name] ?? "").toString("utf8") }));
  const targets = new Set(chapters.flatMap(({ text }) => targetsIn(text)));
  const changed: Zippable = {};
  for (const { name, text } of chapters) {
    const made = withNoteAnchors(text, targets);
    if (made !== undefined) changed[name] = Buffer.from(made);
  }
  for (const name of Object.keys(parts).filter((each) => each.endsWith(".opf"))) {
    const text = Buffer.from(parts[name] ?? "").toString("utf8");
    const made = withWholeSpine(withTurnedNames(text));
    if (made !== text) changed[name] = Buffer.from(made);
  }
  const isRewritten = Object.keys(changed).length > 0;
  if (isRewritten) writePieces(zipSync({ ...parts, ...changed }, { level: 0 }));
  return { isRewritten };
}

/** Pandoc leaves out chapters outside the reading order, such as answers. */
const withWholeSpine = (text: string): string => text.replace(/(<(?:\w+:)?itemref\s[^<>]*?)\slinear\s*=\s*["']no["']/g, "$1");

/** Pandoc lists titles and authors from last to first. */
function withTurnedNames(text: string): string {
  return [/<dc:title[ >][^<]*<\/dc:title>/g, /<dc:creator[ >][^<]*<\/dc:creator>/g].reduce((made, element) => {
    const found = made.match(element) ?? [];
    return made.replace(element, () => found.pop() ?? "");
  }, text);
}
