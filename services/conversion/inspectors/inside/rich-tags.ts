/** Whether a sound or video file may have tags that Mutagen reads but FFmpeg does not. */
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";

/** Honest files have a few dozen. Fragmented files have more, and are assumed to have tags. */
const maxParts = 100;
/** APE tags are at the end of any file, before those of ID3v1 and lyrics, or at its beginning. */
const tailBytes = 131_072;

/** A chunk or box: its four letters, and where its content is. */
type Part = { readonly name: string; readonly from: number; readonly to: number };

/** For WAVE, AIFF and the MP4 family (`format`). Other files, and unclear ones, may have some. */
export async function richTagsOf(source: ByteSource, { format }: { readonly format?: unknown }): Promise<Answer<"richTags">> {
  try {
    return { mayHave: (await hasApe(source)) || (await hasOwn(source, format)) };
  } catch (error) {
    if (error instanceof Unclear) return { mayHave: true };
    throw error;
  }
}

class Unclear extends Error {}

async function hasApe(source: ByteSource): Promise<boolean> {
  const from = Math.max(0, source.sizeBytes - tailBytes);
  const tail = await bytesAt(source, from, source.sizeBytes - from);
  return source.head.includes("APETAGEX") || tail.includes("APETAGEX");
}

async function hasOwn(source: ByteSource, format: unknown): Promise<boolean> {
  const isId3 = ({ name }: Part): boolean => /^(ID3 |DISP)$/i.test(name);
  switch (format) {
    case "wav": {
      const parts = await partsOf(source, 12, source.sizeBytes, wave);
      return parts.some(isId3) || (await areForeign(source, parts));
    }
    case "aiff":
      return (await partsOf(source, 12, source.sizeBytes, aiff)).some((part) => isId3(part) || /^(NAME|AUTH|ANNO|\(c\) )$/.test(part.name));
    case "mov":
      return (await itemsOf(source)).some(({ name }) => name !== writtenBy);
    default:
      return true;
  }
}

/** Text of a WAV has no declared encoding: FFmpeg takes it as Unicode. */
async function areForeign(source: ByteSource, parts: readonly Part[]): Promise<boolean> {
  for (const { name, from, to } of parts) {
    const text = name === "LIST" ? await bytesAt(source, from, Math.min(to - from, longestText)) : Buffer.alloc(0);
    if (text.some((byte) => byte > 127)) return true;
  }
  return false;
}
const longestText = 65_536;

/** The program that wrote the file. No result repeats that of its source. */
const writtenBy = "\xa9too";
/** The nested boxes that lead to the tags. */
const way = ["moov", "udta", "meta", "ilst"];
/** A version number precedes its content. */
const versionBytes: Readonly<Record<string, number>> = { meta: 4 };

async function itemsOf(source: ByteSource): Promise<readonly Part[]> {
  let parts = await partsOf(source, 0, source.sizeBytes, iso);
  for (const step of way) {
    const inner = parts.filter(({ name }) => name === step);
    if (inner.length > 1) throw new Unclear();
    const [box] = inner;
    if (box === undefined) return [];
    parts = await partsOf(source, box.from + (versionBytes[step] ?? 0), box.to, iso);
  }
  return parts;
}

type Layout = (bytes: Buffer) => { readonly name: string; readonly head: number; readonly whole: number };

const wave: Layout = (bytes) => chunkOf(bytes, bytes.readUInt32LE(4));
const aiff: Layout = (bytes) => chunkOf(bytes, bytes.readUInt32BE(4));

function chunkOf(bytes: Buffer, length: number): ReturnType<Layout> {
  return { name: bytes.toString("latin1", 0, 4), head: 8, whole: 8 + length + (length % 2) };
}

/** @see ISO/IEC 14496-12, 4.2: a length of 1 means that 64 bits follow the letters. */
const iso: Layout = (bytes) => {
  const [name, length] = [bytes.toString("latin1", 4, 8), bytes.readUInt32BE(0)];
  return length === 1 && bytes.length === 16
    ? { name, head: 16, whole: Number(bytes.readBigUInt64BE(8)) }
    : { name, head: 8, whole: length };
};

/** @throws Unclear if the parts do not follow each other to the end, or are too many. */
async function partsOf(source: ByteSource, first: number, end: number, layout: Layout): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (let at = first; at + 8 <= end; ) {
    const { name, head, whole } = layout(await bytesAt(source, at, 16));
    // The last chunk need not be padded to an even length.
    if (whole < head || at + whole > end + 1 || parts.length === maxParts) throw new Unclear();
    parts.push({ name, from: at + head, to: Math.min(end, at + whole) });
    at += whole;
  }
  return parts;
}
