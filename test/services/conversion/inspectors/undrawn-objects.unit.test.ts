import { expect, it } from "vitest";
import { undrawnObjectsOf } from "#services/conversion/inspectors/inside/undrawn-objects.ts";

const dxf = (blocks: string, entities: string) =>
  `  0\r\nSECTION\r\n  2\r\nBLOCKS\r\n${blocks}0\nENDSEC\n0\nSECTION\n2\nENTITIES\n${entities}0\nENDSEC\n0\nSECTION\n2\nOBJECTS\n0\nDICTIONARY\n0\nENDSEC\n0\nEOF\n`;
const block = (name: string, ...kinds: string[]) =>
  `0\nBLOCK\n2\n${name}\n${kinds.map((kind) => `0\n${kind}\n8\n0\n`).join("")}0\nENDBLK\n`;

// Texts of several lines, ellipses and splines were left out without a note, and a drawing of nothing else was a blank page.
it.each([
  ["0\nLINE\n8\n0\n0\nMTEXT\n1\n0\n0\nMTEXT\n0\nELLIPSE\n", ["MTEXT (2)", "ELLIPSE (1)"], true],
  ["0\nSPLINE\n8\n0\n", ["SPLINE (1)"], false],
  ["0\nINSERT\n2\nused\n", ["MTEXT (1)"], true],
  ["0\nINSERT\n2\nplain\n", [], true],
  ["0\nINSERT\n2\nplain\n70\n5\n71\n1\n", ["copies in rows or columns of INSERT (1)"], true],
])("names the kinds of objects that are not drawn (%#)", async (entities, left, draws) => {
  const bytes = Buffer.from(dxf(block("used", "LINE", "MTEXT") + block("unused", "RAY") + block("plain", "ARC"), entities));
  const file = { sizeBytes: bytes.length, head: bytes, read: async (at: number, length: number) => bytes.subarray(at, at + length) };
  expect(await undrawnObjectsOf(file)).toEqual({ left, draws });
});
