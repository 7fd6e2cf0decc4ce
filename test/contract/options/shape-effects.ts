import { modelOf } from "#test/contract/readers-model.ts";
import { becomes, bytes, differs, effectsOf, gains, larger, latin1, loses, pictured, smaller, text } from "./effect.ts";

const toSvg = { hop: "gv>svg", sample: "graph.gv" } as const;

/** Maps, models and diagrams. */
export const shapeEffects = [
  ...effectsOf("fonttools", [
    { hop: "ttf>ttf", sample: "letters.ttf", option: "text", given: { text: "Quokka" }, figure: bytes, shows: smaller },
    { hop: "ttf>ttf", sample: "letters.ttf", option: "unicodes", given: { unicodes: "U+0041-005A" }, figure: bytes, shows: smaller },
  ]),
  ...effectsOf("gdal", [
    {
      hop: "csv>geojson",
      sample: "latin-places.csv",
      option: "encoding",
      given: { encoding: "koi8-r" },
      figure: text,
      shows: loses(/Jürgen/),
    },
    { hop: "csv>geojson", sample: "two-ways.csv", option: "delimiter", given: { delimiter: "pipe" }, figure: text, shows: gains(/"B"/) },
    { hop: "geojson>csv", sample: "places.geojson", option: "crs", given: { crs: 3857 }, figure: text, shows: gains(/1489[0-9]{3}/) },
    { hop: "geojson>csv", sample: "places.geojson", option: "geometry", given: { geometry: "xy" }, figure: text, shows: gains(/^X,Y/) },
    {
      hop: "kml>geojson",
      sample: "places.kml",
      option: "precision",
      given: { precision: 1 },
      figure: text,
      shows: gains(/\[ *13\.4, *52\.5/),
    },
  ]),
  ...effectsOf("assimp", [
    { hop: "obj>ply", sample: "square.obj", option: "simplify", given: { simplify: true }, figure: vertices, shows: smaller },
    {
      hop: "obj>stl",
      sample: "square.obj",
      option: "form",
      given: { form: "text" },
      figure: latin1,
      shows: gains(/^solid[\s\S]*facet normal/),
    },
  ]),
  ...effectsOf("meshoptimizer", [
    { hop: "stl>stl", sample: "sphere.stl", option: "simplify", given: { simplify: 0.5 }, figure: bytes, shows: smaller },
    { hop: "stl>stl", sample: "sphere.stl", option: "scale", given: { scale: 10 }, figure: breadth, shows: becomes(20) },
  ]),
  ...effectsOf("graphviz", [
    { ...toSvg, option: "layout", given: { layout: "circo" }, figure: text, shows: differs },
    { ...toSvg, option: "direction", given: { direction: "LR" }, figure: text, shows: differs },
    { hop: "gv>png", sample: "graph.gv", option: "dpi", given: { dpi: 192 }, figure: width, shows: larger },
  ]),
];

async function vertices(path: string): Promise<number> {
  return Number(/element vertex (\d+)/.exec(await latin1(path))?.[1]);
}

async function width(path: string): Promise<number> {
  return Number(await pictured("%w")(path));
}

async function breadth(path: string): Promise<number> {
  return (await modelOf(path, "stl")).size[2] ?? 0;
}
