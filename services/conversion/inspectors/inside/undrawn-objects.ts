/** Objects of a DXF drawing that LibreOffice does not draw. It reads the others only. */
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { pairsIn } from "./dxf-pairs.ts";
import { contentOf } from "./remote-file.ts";

const drawn = new Set("3DFACE ARC CIRCLE DIMENSION HATCH INSERT LINE LWPOLYLINE POINT POLYLINE SHAPE SOLID TEXT TRACE".split(" "));
/** They draw nothing of their own: what holds others together, and windows of the printed sheet onto the model. */
const silent = new Set("ATTDEF ATTRIB BLOCK ENDBLK ENDSEC EOF SECTION SEQEND VERTEX VIEWPORT".split(" "));
const holders = new Set(["BLOCK", "DIMENSION", "INSERT"]);
const [kindCode, nameCode] = ["0", "2"];
const arrayCodes = new Set(["70", "71"]);
const mostNamed = 8;

export async function undrawnObjectsOf(file: ByteSource): Promise<Answer<"undrawnObjects">> {
  // The blocks are definitions, of which only those count that an object shows. The model itself has no name here.
  const blocks = new Map([["", new Map<string, number>()]]);
  const shown = new Set([""]);
  let [section, block, kind] = ["", "", ""];
  const countOne = (each: string): void => {
    const kinds = blocks.get(block);
    kinds?.set(each, (kinds.get(each) ?? 0) + 1);
  };
  for (const { code, value: written } of pairsIn((await contentOf(file)).toString("latin1"))) {
    const value = written.trim();
    if (code === kindCode) {
      kind = value;
      if (kind === "ENDBLK") block = "";
      if ((section === "ENTITIES" || block !== "") && !silent.has(kind)) countOne(kind);
    } else if (code === nameCode && kind === "SECTION") section = value;
    // Of an array of blocks, the first is drawn.
    else if (kind === "INSERT" && arrayCodes.has(code) && Number(value) > 1) countOne("copies in rows or columns of INSERT");
    else if (code === nameCode && holders.has(kind)) {
      if (kind !== "BLOCK") shown.add(value);
      else if (block === "") {
        block = value;
        blocks.set(block, blocks.get(block) ?? new Map());
      }
    }
  }
  const all = new Map<string, number>();
  for (const [name, kinds] of blocks) for (const [each, count] of shown.has(name) ? kinds : []) all.set(each, (all.get(each) ?? 0) + count);
  const left = [...all].filter(([each]) => !drawn.has(each)).sort(([, a], [, b]) => b - a);
  const named = left.slice(0, mostNamed).map(([each, count]) => `${each.slice(0, 40)} (${count})`);
  return { left: named, draws: [...all.keys()].some((each) => drawn.has(each)) };
}
