/** Charts, pictures and text boxes of workbooks, of which the library reports nothing. */

import { type Notes, noteOnce } from "../exchange.ts";

/** Looks at each part of a file. */
export const noting = (notes: Notes) => (name: string, content: Uint8Array) => {
  if (notes.has("DRAWINGS_LEFT_OUT") || !hasDrawings(name, content)) return;
  noteOnce(notes, "DRAWINGS_LEFT_OUT", "Charts, pictures and text beside the cells were left out.");
};

/** What belongs to comments is in other parts. */
function hasDrawings(name: string, content: Uint8Array): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  if (/\/xl\/media\/./.test(name)) return true;
  // Some writers give each sheet a drawing without anything in it.
  if (/\/xl\/drawings\/drawing\d*\.xml$/.test(name)) return bytes.includes("Anchor");
  if (/\/content\.xml$/.test(name)) return bytes.includes("<draw:", Math.max(bytes.indexOf("<office:body"), 0));
  return /\/(?:Workbook|Book)$/i.test(name) && hasObjects(bytes);
}

/** @see [MS-XLS] 2.4.21 BOF, 2.4.181 Obj, 2.5.143 FtCmo */
const [start, object] = [0x0809, 0x5d];
const chart = 0x20;
const [arrow, comment] = [0x14, 0x19];

function hasObjects(book: Buffer): boolean {
  for (let at = 0; at + 10 <= book.length; at += 4 + book.readUInt16LE(at + 2)) {
    const record = book.readUInt16LE(at);
    if (record === start && book.readUInt16LE(at + 6) === chart) return true;
    if (record !== object) continue;
    const kind = book.readUInt16LE(at + 8);
    if (kind !== arrow && kind !== comment) return true;
  }
  return false;
}

/** The XML of an OpenDocument without shapes. The library takes their text for that of the cell, whose own is lost beside a picture. */
export function withoutDrawings(content: string): string {
  const parts: string[] = [];
  let [done, depth] = [0, 0];
  for (const { 0: tag, index } of content.matchAll(/<\/?draw:[^<>]*>/g)) {
    const isEnd = tag.startsWith("</");
    if (depth === 0 && !isEnd) parts.push(content.slice(done, index));
    depth += isEnd ? -1 : Number(!tag.endsWith("/>"));
    if (depth === 0) done = index + tag.length;
  }
  return depth === 0 ? parts.join("") + content.slice(done) : content;
}
