/** Models that Assimp does not read or write well. */
import type { Converted, Notes, Question } from "../exchange.ts";
import { Failure } from "../failure.ts";
import { glbOfShapes } from "./shapes.ts";

export async function convertModel(bytes: Buffer, { from, to }: Question, notes: Notes): Promise<Converted> {
  if (to === "3mf") {
    const { readGlb } = await import("./glb.ts");
    return (await import("./threemf-writing.ts")).threeMfOf(await readGlb(bytes, notes), notes);
  }
  if (from === "3mf") return glbOfShapes((await import("./threemf.ts")).shapesOf3mf(bytes, notes));
  if (from === "step") return glbOfShapes(await (await import("./cad.ts")).shapesOfStep(bytes));
  throw new Failure("INTERNAL", "There is no such model.");
}
