/** Gzip (RFC 1952), distinguished by its decompressed content. */
import { type Content, contentOfFormat } from "./content.ts";
import { decodeText, encodingOf } from "./encoding.ts";
import { markupContentOf } from "./xml.ts";
import { inflatedHead } from "./zip.ts";

export function gzipContentOf(head: Buffer): Content | undefined {
  if (head[0] !== 0x1f || head[1] !== 0x8b || head[2] !== 8) return undefined;
  const inside = inflatedHead(head.subarray(dataOffset(head)));
  if (inside.toString("latin1", 257, 262) === "ustar") return contentOfFormat("tgz", { orNamed: ["gz"] });
  if (inside.toString("latin1", 0, 4) === "Vgm ") return contentOfFormat("vgm", { orNamed: ["gz"] });
  const encoding = encodingOf(inside.subarray(0, 16_384));
  if (encoding === undefined || inside.length === 0) return contentOfFormat("gz");
  const text = decodeText(inside.subarray(0, 16_384), encoding);
  if (/<(\w+:)?Workbook\b[^<>]*gnumeric/.test(text)) return contentOfFormat("gnumeric", { orNamed: ["gz"] });
  const markup = markupContentOf(text)?.format;
  if (markup === "svg") return contentOfFormat("svgz", { orNamed: ["gz"] });
  return markup === "abw" ? contentOfFormat("abw", { orNamed: ["gz"] }) : contentOfFormat("gz");
}

/** After the optional extra field, name, comment and checksum. */
function dataOffset(head: Buffer): number {
  const flags = head[3] ?? 0;
  let at = 10;
  if ((flags & 4) !== 0 && head.length >= 12) at += 2 + head.readUInt16LE(10);
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    const end = head.indexOf(0, at);
    at = end < 0 ? head.length : end + 1;
  }
  return (flags & 2) === 0 ? at : at + 2;
}
