/** Builds TIFF files of grey pages with arbitrary tags. */

type Tags = Readonly<Record<number, number>>;
type More = { /** Number of values in the strip lists. */ readonly counts?: number; readonly title?: string };

const longType = 4;
const textType = 2;
const stripTags = new Set([273, 279]);

/** @see TIFF 6.0, section 2: one directory per page, all sharing the pixels after the header. */
export function tiff(pages: readonly Tags[], { counts = 1, title }: More = {}): Buffer {
  const pixels = 64;
  const text = Buffer.from(title === undefined ? "" : `${title}\0`);
  const parts: Buffer[] = [Buffer.alloc(8 + pixels), text];
  let at = 8 + pixels + text.length;
  parts[0]?.write("II*\0", 0, "latin1");
  parts[0]?.writeUInt32LE(at, 4);
  for (const [index, page] of pages.entries()) {
    const tags: Tags = {
      258: 8,
      259: 1,
      262: 1,
      273: 8,
      277: 1,
      278: page[257] ?? 8,
      279: pixels,
      ...(title === undefined ? {} : { 269: 72 }),
      ...page,
    };
    const entries = Object.entries(tags);
    const directory = Buffer.alloc(2 + entries.length * 12 + 4);
    directory.writeUInt16LE(entries.length, 0);
    for (const [place, [name, value]] of entries.entries()) {
      const tag = Number(name);
      const isTitle = tag === 269;
      directory.writeUInt16LE(tag, 2 + place * 12);
      directory.writeUInt16LE(isTitle ? textType : longType, 4 + place * 12);
      directory.writeUInt32LE(isTitle ? text.length : stripTags.has(tag) ? counts : 1, 6 + place * 12);
      directory.writeUInt32LE(value, 10 + place * 12);
    }
    at += directory.length;
    directory.writeUInt32LE(index === pages.length - 1 ? 0 : at, directory.length - 4);
    parts.push(directory);
  }
  return Buffer.concat(parts);
}
