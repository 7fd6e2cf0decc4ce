/** Drawings: their rendering in another program, or else their words and structure. */
import { readFile } from "node:fs/promises";
import type { Case, Evidence } from "#test/prove/evidence.ts";
import { recallOf, textOf } from "#test/prove/readers/words.ts";
import { likenessTo } from "./pictures.ts";

/** Formats that a program other than their writers renders. */
const rendered = new Set("svg eps ps".split(" "));

export async function checkDrawing(given: Case): Promise<Evidence> {
  const { sample, input, result, writer } = given;
  if (rendered.has(result.format)) {
    const seen = await likenessTo(input, result, writer).catch(() => undefined);
    if (seen !== undefined && seen.reader !== "self") {
      const { size: _, ...figures } = seen.figures;
      return { reader: seen.reader, figures };
    }
  }
  const objects = await objectsOf(result.path, result.format);
  if (sample.contents.length === 0 || sample.kind === "image") return { reader: "bytes", figures: { objects } };
  const { reader, text } = await textOf(result, writer);
  const recall = recallOf(sample.contents, text);
  // Text may have become outlines: then only shapes can be counted.
  return recall === 0 ? { reader, figures: { objects } } : { reader, figures: { recall, objects } };
}

/** 1 if every record or section is complete and something is drawn. Rejects otherwise. */
async function objectsOf(path: string, format: string): Promise<number> {
  const bytes = await readFile(path);
  const drawn = counters[format]?.(bytes) ?? (bytes.length > 0 ? 1 : 0);
  if (drawn < 1) throw new Error("nothing is drawn");
  return 1;
}

const counters: Readonly<Record<string, (bytes: Buffer) => number>> = {
  emf: emfRecords,
  wmf: wmfRecords,
  dxf: (bytes) =>
    bytes.toString("latin1").match(/^\s*(LINE|LWPOLYLINE|POLYLINE|CIRCLE|ARC|SPLINE|HATCH|SOLID|TEXT|MTEXT|INSERT|VERTEX)\s*$/gm)?.length ??
    0,
  svg: (bytes) => bytes.toString("utf8").match(/<(path|rect|circle|ellipse|polygon|polyline|line|text|image|use)\b/g)?.length ?? 0,
  svgz: () => 1,
};

/** Consecutive records up to the last one, which ends the file. @see MS-EMF 2.3 */
function emfRecords(bytes: Buffer): number {
  let [at, count] = [0, 0];
  while (at + 8 <= bytes.length) {
    const [type, size] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    if (size < 8 || at + size > bytes.length) throw new Error("a record leads out of the file");
    if (type === 14) return count - 1;
    count += 1;
    at += size;
  }
  throw new Error("no end of the records");
}

/** @see MS-WMF 2.3 */
function wmfRecords(bytes: Buffer): number {
  let at = bytes.readUInt32LE(0) === 0x9ac6cdd7 ? 40 : 18;
  let count = 0;
  while (at + 6 <= bytes.length) {
    const size = bytes.readUInt32LE(at) * 2;
    if (bytes.readUInt16LE(at + 4) === 0) return count;
    if (size < 6 || at + size > bytes.length) throw new Error("a record leads out of the file");
    count += 1;
    at += size;
  }
  throw new Error("no end of the records");
}
