/** The notes that a route's result may have: those of its hops, if the file can still have the trait that they are about. */
import { canHave, isTrait } from "#formats/index.ts";
import type { ExpectedNote } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { Note } from "#gen/filemill/common/v1/format_pb.ts";

type NotingHop = { readonly from: string; readonly expectedNotes: readonly ExpectedNote[] };

/** In the order of the hops. Each code appears once, with the text of the first hop that can raise it. */
export function expectedNotesOf(hops: readonly NotingHop[]): readonly Note[] {
  const found = new Map<string, Note>();
  for (const [index, { expectedNotes }] of hops.entries()) {
    const way = hops.slice(0, index + 1).map(({ from }) => from);
    for (const { note, of, isOfSource } of expectedNotes) {
      if (note === undefined || found.has(note.code) || (isOfSource && index > 0)) continue;
      // A node of another version may announce a trait that is unknown here.
      if (isTrait(of) && !way.every((format) => canHave(format, of))) continue;
      found.set(note.code, note);
    }
  }
  return [...found.values()];
}
