/** Documents, e-books and slides: the source's words, and the page count if both have pages. */
import { type Case, type Evidence, shareOf } from "#test/prove/evidence.ts";
import { pagesOf, type Reading, recallOf, textOf } from "#test/prove/readers/words.ts";
import { inkOfPicture, likenessTo } from "./pictures.ts";

const paged = new Set(["pdf", "pdfa"]);

export async function checkWords(given: Case): Promise<Evidence> {
  const { sample, input, result, writer } = given;
  if (sample.contents.length === 0 && paged.has(result.format)) return checkLook(given);
  if (!paged.has(result.format)) {
    const { reader, text } = await read(given);
    return { reader, figures: { recall: recallOf(sample.contents, text) } };
  }
  const { reader, text } = await textOf(result, writer);
  const pages = shareOf(await pagesOf(result.path), paged.has(input.format) ? await pagesOf(input.path) : 1);
  return { reader, figures: { recall: recallOf(sample.contents, text), pages } };
}

/** Books with compressed text that only their writer can unpack. */
const packed = new Set(["lit"]);

async function read({ result, writer, readAs }: Case): Promise<Reading> {
  if (!packed.has(result.format)) return textOf(result, writer);
  return readAs(writer, "epub", async (file) => ({ ...(await textOf(file)), reader: "self" }));
}

/** Pages whose text became outlines: they look the same. */
async function checkLook({ input, result, writer }: Case): Promise<Evidence> {
  const { reader, figures } = await likenessTo(input, result, writer);
  const { size: _, ...alike } = figures;
  return { reader, figures: alike };
}

/** A picture or drawing on a page: it looks the same, whatever words it contains. */
export async function checkPage(given: Case): Promise<Evidence> {
  const { sample, input, result, writer } = given;
  if (!paged.has(result.format)) return checkWords(given);
  const evidence = await likenessTo(input, result, writer).catch((error: unknown) => error);
  const { size: _, ...figures } = isEvidence(evidence) ? evidence.figures : {};
  // Without another reader for the source, its words must be there, or at least something must be shown.
  if (!isEvidence(evidence)) return sample.contents.length === 0 ? inkOfPicture(result, writer) : checkWords(given);
  return { reader: evidence.reader, figures: { ...figures, pages: shareOf(await pagesOf(result.path), 1) } };
}

function isEvidence(value: unknown): value is Evidence {
  return typeof value === "object" && value !== null && "figures" in value;
}
