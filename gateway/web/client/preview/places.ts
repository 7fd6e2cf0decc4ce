/** Converts KML and GPX to the GeoJSON that is drawn. */

type Geometry = { readonly type: "Point" | "LineString"; readonly coordinates: unknown };

/** The geometries of a GeoJSON, KML or GPX file. Throws if it is not well-formed. */
export function placesIn(text: string): unknown {
  if (!text.trimStart().startsWith("<")) return JSON.parse(text);
  const document = new DOMParser().parseFromString(text, "application/xml");
  if (document.querySelector("parsererror") !== null) throw new SyntaxError("the XML is not well-formed");
  const all = (name: string): Element[] => [...document.getElementsByTagNameNS("*", name)];
  const geometries: Geometry[] = [
    ...["LineString", "LinearRing"].flatMap((name) => all(name).map((line) => lineOf(rowsOf(line)))),
    ...all("Point").flatMap((point) => rowsOf(point).map((coordinates) => ({ type: "Point" as const, coordinates }))),
    // Google's extension for tracks with timestamps.
    ...all("Track").map((track) => lineOf([...track.getElementsByTagNameNS("*", "coord")].map((coord) => numbersOf(coord, /\s+/)))),
    ...all("trkseg").map((track) => lineOf(stepsOf(track, "trkpt"))),
    ...all("rte").map((route) => lineOf(stepsOf(route, "rtept"))),
    ...all("wpt").map((point) => ({ type: "Point" as const, coordinates: placeOf(point) })),
  ];
  return { type: "GeometryCollection", geometries };
}

const lineOf = (coordinates: readonly unknown[]): Geometry => ({ type: "LineString", coordinates });
const numbersIn = (text: string, between: string | RegExp): number[] => text.trim().split(between).map(Number);
const numbersOf = (element: Element, between: RegExp): number[] => numbersIn(element.textContent ?? "", between);

/** KML separates longitude, latitude and altitude with commas, and positions with spaces. */
function rowsOf(geometry: Element): number[][] {
  const text = geometry.getElementsByTagNameNS("*", "coordinates")[0]?.textContent ?? "";
  return text
    .trim()
    .split(/\s+/)
    .map((row) => numbersIn(row, ","));
}

const stepsOf = (line: Element, name: string): number[][] => [...line.getElementsByTagNameNS("*", name)].map(placeOf);
const placeOf = (point: Element): number[] => ["lon", "lat"].map((name) => Number(point.getAttribute(name) ?? NaN));
