// Runs inside the sandbox, beside sharp-child.mjs: libvips writes texts of a PNG in other characters than those it read.
import { readFileSync, writeFileSync } from "node:fs";
import { crc32 } from "node:zlib";

/** The outcome of a conversion, with the texts of its source if those are in more than plain letters. */
export function withSourceTexts({ from, to, options }, source, outcome) {
  if (from !== "png" || to !== "png" || options.metadata === "strip") return outcome;
  const texts = chunksOf(source).filter(isText);
  if (!texts.some(({ content }) => content.some((byte) => byte > 127))) return outcome;
  const written = outcome.data === undefined ? readFileSync("out") : Buffer.from(outcome.data, "base64");
  const rest = chunksOf(written).filter((chunk) => !isText(chunk));
  const first = rest.findIndex(({ kind }) => kind === "IDAT");
  const all = [...rest.slice(0, first), ...texts, ...rest.slice(first)];
  const bytes = Buffer.concat([written.subarray(0, 8), ...all.map(signed)]);
  if (outcome.data !== undefined) return { ...outcome, data: bytes.toString("base64") };
  writeFileSync("out", bytes);
  return outcome;
}

/** Chunks of a PNG. @see PNG third edition, 5.3 and 11.3.3 */
function chunksOf(bytes) {
  const chunks = [];
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const content = bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at));
    chunks.push({ kind: bytes.toString("latin1", at + 4, at + 8), content });
  }
  return chunks;
}

/** Whether it is a text, and no other metadata in the form of one. */
function isText({ kind, content }) {
  return /^(?:tEXt|zTXt|iTXt)$/.test(kind) && !/^(?:XML:com\.adobe\.xmp|Raw profile type )/.test(content.toString("latin1", 0, 20));
}

function signed({ kind, content }) {
  const chunk = Buffer.alloc(12 + content.length);
  chunk.writeUInt32BE(content.length, 0);
  chunk.write(kind, 4, "latin1");
  content.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + content.length)), 8 + content.length);
  return chunk;
}
