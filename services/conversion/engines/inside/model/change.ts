/** Changes models within their format: fewer faces, another size. Everything else keeps its bytes or text. */
import { type Converted, type Notes, numberOption, type Question } from "../exchange.ts";
import { Failure } from "../failure.ts";
import type { Change, Changed } from "./asked.ts";
import { changeGlb } from "./glb.ts";
import { changeObj } from "./obj.ts";
import { changePly } from "./ply.ts";
import { changeStl } from "./stl.ts";

type Changer = (bytes: Buffer, change: Change, notes: Notes) => Changed | Promise<Changed>;

const changers: Readonly<Record<string, Changer>> = { glb: changeGlb, obj: changeObj, ply: changePly, stl: changeStl };

export async function changeModel(source: Buffer, { from, options }: Question, notes: Notes): Promise<Converted> {
  const change = { share: numberOption(options, "simplify") ?? 1, factor: numberOption(options, "scale") ?? 1 };
  const changer = changers[from];
  if (changer === undefined) throw new Failure("INTERNAL", "There is no such model.");
  const { bytes, had, has } = await changer(source, change, notes);
  if (change.factor === 1 && has === had) {
    notes.clear();
    notes.set("SOURCE_KEPT", change.share === 1 ? undefined : "No faces could be merged; the source file was returned unchanged.");
    return source;
  }
  if (change.share < 1) notes.set("FACES_MERGED", toldOf(had, has, change.share));
  return bytes;
}

function toldOf(had: number, has: number, share: number): string {
  const kept = `${has} of ${had} triangles were kept.`;
  return has > Math.ceil(had * share * 1.1) + 1 ? `${kept} Fewer would have torn the model or moved the borders of its materials.` : kept;
}
