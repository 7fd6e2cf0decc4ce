import { expect, it } from "vitest";
import { placedDxf } from "#services/conversion/inspectors/inside/dxf-extent.ts";

const pairs = (...values: readonly (string | number)[]) => values.map((value) => `${value}\r\n`).join("");
const section = (name: string, body: string) => pairs(0, "SECTION", 2, name) + body + pairs(0, "ENDSEC");
const header = (from: number, to: number) =>
  section("HEADER", pairs(9, "$EXTMIN", 10, from, 20, from, 9, "$EXTMAX", 10, to, 20, to, 9, "$LUNITS", 70, 2));
const polyline = pairs(0, "LWPOLYLINE", 8, 0, 90, 3, 70, 1, 10, 1, 20, 2, 10, 11, 20, 2, 10, 11, 20, 7);
const block = pairs(0, "BLOCK", 2, "b", 10, 1, 20, 0, 0, "CIRCLE", 8, 0, 10, 1, 20, 0, 40, 1, 0, "ENDBLK");
const insert = pairs(0, "INSERT", 2, "b", 10, 100, 20, 10, 41, 2, 42, 3, 50, 90);

/** The numbers behind a name of the header. */
function statedIn(text: string): readonly number[] {
  return ["$EXTMIN", "$EXTMAX"].flatMap((name) => {
    const [, code, x, , y] = (text.split(name)[1] ?? "").split(/\r?\n/);
    return code === "10" ? [Number(x), Number(y)] : [];
  });
}

// With the extent of an empty drawing, which many programs state, everything was drawn on one point.
it.each([
  ["placeholder", header(1e20, -1e20) + section("ENTITIES", polyline), [1, 2, 11, 7]],
  ["none", section("ENTITIES", polyline), [1, 2, 11, 7]],
  ["stated", header(-5, 50) + section("ENTITIES", polyline), [-5, -5, 50, 50]],
  ["block", section("BLOCKS", block) + section("ENTITIES", insert), [97, 8, 103, 12]],
  ["empty block", section("BLOCKS", block.replace("CIRCLE", "MTEXT")) + section("ENTITIES", polyline + insert), [1, 2, 11, 7]],
  ["nothing", section("ENTITIES", ""), []],
  ["itself", section("BLOCKS", block.replace("CIRCLE", "INSERT")) + section("ENTITIES", polyline), [1, 2, 11, 7]],
])("a drawing gets its extent (%s)", (_, text, wanted) => {
  const made = placedDxf(text);
  expect(statedIn(made).map((value) => Math.round(value))).toEqual(wanted);
  expect(made).toContain(text.slice(text.indexOf("ENTITIES")));
});
