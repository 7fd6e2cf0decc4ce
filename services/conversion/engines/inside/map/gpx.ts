/** What GDAL does not read from a GPX: times and other values of single points in tracks and routes, and nested extensions. */

/** Text by the local names of elements. */
export type Leaves = Readonly<Record<string, string>>;

export type Place = {
  /** The time as written. */
  readonly time: string | undefined;
  /** All its values without extensions. */
  readonly values: Leaves;
  readonly at: Position | undefined;
  /** The values in its extensions. */
  readonly extensions: Leaves;
  /** Segments of a track; a single list for a route. */
  readonly parts: readonly (readonly Point[])[];
};

/** As written. */
export type Position = { readonly lat: string; readonly lon: string };
export type Point = { readonly at: Position | undefined; readonly values: Leaves };

export type Gpx = {
  readonly waypoints: readonly Place[];
  readonly routes: readonly Place[];
  readonly tracks: readonly Place[];
  readonly hasMetadata: boolean;
};

type Tag = {
  readonly name: string;
  readonly kind: "start" | "end" | "empty";
  readonly at: Position | undefined;
  readonly textBefore: string;
};

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(/&(#x[0-9a-fA-F]{1,6}|#\d{1,7}|\w{1,8});/g, (all, name: string) => {
    if (!name.startsWith("#")) return entities[name] ?? all;
    const code = name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

/** The tags of a document that a parser has accepted, each with the text before it. */
function* tagsIn(text: string): Generator<Tag> {
  let before = "";
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf("<", at);
    if (open < 0) return;
    before += decoded(text.slice(at, open));
    const special = [
      ["<!--", "-->"],
      ["<![CDATA[", "]]>"],
      ["<?", "?>"],
    ].find(([mark = ""]) => text.startsWith(mark, open));
    const [start = "<", end = ">"] = special ?? [];
    const close = text.indexOf(end, open + start.length);
    if (close < 0) return;
    at = close + end.length;
    const inside = text.slice(open + start.length, close);
    if (start === "<![CDATA[") before += inside;
    if (special !== undefined) continue;
    const kind = inside.startsWith("/") ? "end" : inside.endsWith("/") ? "empty" : "start";
    const name = /^[^\s/>]+/.exec(kind === "end" ? inside.slice(1) : inside)?.[0] ?? "";
    yield { name: name.slice(name.indexOf(":") + 1), kind, at: positionIn(inside), textBefore: before };
    before = "";
  }
}

function positionIn(tag: string): Position | undefined {
  const lat = /\slat\s?=\s?["']([^"']{1,40})["']/.exec(tag)?.[1];
  const lon = /\slon\s?=\s?["']([^"']{1,40})["']/.exec(tag)?.[1];
  return lat === undefined || lon === undefined ? undefined : { lat, lon };
}

type Texts = Record<string, string>;
type Open = {
  time: string | undefined;
  readonly at: Position | undefined;
  readonly values: Texts;
  readonly extensions: Texts;
  readonly parts: { readonly at: Position | undefined; readonly values: Texts }[][];
};

const listOf: Readonly<Record<string, "waypoints" | "routes" | "tracks">> = { wpt: "waypoints", rte: "routes", trk: "tracks" };
const pointNames = new Set(["trkpt", "rtept"]);

/** @param text - of a GPX that GDAL could read */
export function readGpx(text: string): Gpx {
  const found = { waypoints: [] as Open[], routes: [] as Open[], tracks: [] as Open[], hasMetadata: false };
  const path: string[] = [];
  let place: Open | undefined;
  let point: Texts | undefined;
  let isLeaf = false;
  for (const { name, kind, at, textBefore } of tagsIn(text)) {
    if (kind === "end") {
      if (isLeaf) takeLeaf(path, textBefore.trim(), place, point);
      if (pointNames.has(name)) point = undefined;
      if (path.length === 2) place = undefined;
      path.pop();
      isLeaf = false;
      continue;
    }
    const list = path.length === 1 ? listOf[name] : undefined;
    if (list !== undefined) {
      place = { time: undefined, at, values: {}, extensions: {}, parts: name === "rte" ? [[]] : [] };
      found[list].push(place);
    }
    // Before GPX 1.1 there was no element around the name and the author of the file.
    if (list === undefined && path.length === 1 && kind === "start") found.hasMetadata = true;
    if (name === "trkseg" && path.length === 2) place?.parts.push([]);
    if (pointNames.has(name)) {
      const made = {};
      place?.parts.at(-1)?.push({ at, values: made });
      point = kind === "start" ? made : undefined;
    }
    isLeaf = kind === "start";
    if (kind === "start") path.push(name);
    else if (path.length === 1) place = undefined;
  }
  return found;
}

/** Keeps the text of a leaf element. */
function takeLeaf(path: readonly string[], text: string, place: Open | undefined, point: Texts | undefined): void {
  const name = path.at(-1) ?? "";
  if (place === undefined || text === "" || pointNames.has(name)) return;
  if (point !== undefined) put(point, name, text);
  else if (path.length === 3) {
    put(place.values, name, text);
    if (name === "time") place.time = text;
  } else if (path[2] === "extensions" && path.length > 3) put(place.extensions, name, text);
}

/** A repeated name gets a number. */
function put(values: Texts, name: string, text: string): void {
  let free = name;
  for (let number = 2; Object.hasOwn(values, free); number++) free = `${name}_${number}`;
  values[free] = text;
}

/** Decodes by the byte order mark or the declared encoding. */
export function textOfXml(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 200)).toString("latin1");
  const marked = start.startsWith("\xff\xfe") ? "utf-16le" : start.startsWith("\xfe\xff") ? "utf-16be" : undefined;
  const said = /^[^>]{0,180}encoding=["']([\w.:-]{1,40})["']/.exec(start)?.[1];
  return new TextDecoder(marked ?? said ?? "utf-8").decode(bytes);
}
