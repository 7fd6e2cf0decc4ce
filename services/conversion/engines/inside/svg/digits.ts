/** How many decimal places a drawing's coordinates need: in a drawing that is 1 unit wide, a thousandth of a unit can be seen. */
import { type CustomPlugin, optimize, type XastElement } from "svgo/browser";

const fewest = 3;
const most = 8;
/** Three decimal places suffice for an icon of this side, and for anything larger. */
const usualSide = 24;

/** 3, or more if parts of the drawing are magnified, by a view box or by transforms. */
export function digitsFor(source: string): number {
  let largest = 1;
  const above: number[] = [1];
  const measure: CustomPlugin = {
    name: "measure",
    fn: () => ({
      element: {
        enter(node) {
          const scale = (above.at(-1) ?? 1) * magnificationOf(node, above.length === 1);
          above.push(scale);
          if (scale > largest) largest = scale;
        },
        exit: () => void above.pop(),
      },
    }),
  };
  optimize(source, { plugins: [measure] });
  return Math.min(most, fewest + Math.max(0, Math.ceil(Math.log10(largest) - 0.01)));
}

function magnificationOf({ attributes }: XastElement, isRoot: boolean): number {
  const { viewBox, width, height } = attributes;
  const [, , across, down] = numbersIn(viewBox);
  const side = Math.min(...[across ?? 0, down ?? 0].filter((each) => each > 0));
  const shown = isRoot ? usualSide : Math.max(...[width, height].map((each) => numbersIn(each)[0] ?? usualSide));
  const ofBox = Number.isFinite(side) ? shown / side : 1;
  const ofTransforms = ["transform", "gradientTransform", "patternTransform"].map((name) => scaleOf(attributes[name]));
  // Coordinates are fractions of the size of what is clipped, masked or filled.
  const isFraction = ["clipPathUnits", "maskContentUnits", "patternContentUnits"].some((name) => attributes[name] === "objectBoundingBox");
  const all = [ofBox, ...ofTransforms, isFraction ? usualSide : 1].reduce((product, each) => product * each, 1);
  return Number.isFinite(all) && all > 0 ? all : 1;
}

/** The largest factor of a list of transforms; 1 if there is none. */
function scaleOf(transforms = ""): number {
  let scale = 1;
  for (const [, name, given] of transforms.matchAll(/(scale|matrix)\s*\(([^()]*)\)/g)) {
    const [a = 1, b = a, c = 0, d = 0] = numbersIn(given);
    scale *= name === "scale" ? Math.max(Math.abs(a), Math.abs(b)) : Math.max(Math.hypot(a, b), Math.hypot(c, d));
  }
  return scale;
}

function numbersIn(text = ""): readonly (number | undefined)[] {
  return (text.match(/[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/g) ?? []).map(Number);
}
