/** Maps and tracks that raise notes. */
import { latin, type Occurrence } from "./occurrence.ts";

const gpx = (body: string) => `<?xml version="1.0"?><gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">${body}</gpx>`;
const trackPoint = (lat: string, second: number) => `<trkpt lat="${lat}" lon="2"><time>2026-01-01T00:00:0${second}Z</time></trkpt>`;
const track = `<trk><name>T</name><trkseg>${trackPoint("1.123456789", 1)}</trkseg><trkseg>${trackPoint("2", 2)}</trkseg></trk>`;
const places = gpx(`<wpt lat="1" lon="2"><name>A</name></wpt>${track}`);

const feature = (properties: string, type: string, coordinates: string) =>
  `{"type":"Feature","properties":${properties},"geometry":{"type":"${type}","coordinates":${coordinates}}}`;
const point = feature('{"name":"a"}', "Point", "[1,2]");
const polygon = feature("{}", "Polygon", "[[[0,0],[1,0],[1,1],[0,0]]]");
const withValue = (value: string) => features(feature(`{"a long name":${value}}`, "Point", "[1,2]"));
const features = (...each: readonly string[]) => `{"type":"FeatureCollection","features":[${each.join(",")}]}`;
const collection =
  '{"type":"Feature","properties":{},"geometry":{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]}]}}';

export const maps: readonly Occurrence[] = [
  { engine: "gdal", hop: "geojson>gpx", code: "ENTRIES_LEFT_OUT", content: features(point, polygon) },
  { engine: "gdal", hop: "geojson>shp", code: "ENTRIES_LEFT_OUT", content: features(point, collection) },
  { engine: "gdal", hop: "geojson>dxf", code: "METADATA_DROPPED", content: features(point) },
  { engine: "gdal", hop: "geojson>kml", code: "TYPES_AS_TEXT", content: withValue("9007199254740993") },
  { engine: "gdal", hop: "geojson>shp", code: "NUMBERS_ROUNDED", content: withValue("0.30000000000000004") },
  { engine: "gdal", hop: "geojson>shp", code: "NAMES_CHANGED", content: withValue("1") },
  { engine: "gdal", hop: "geojson>shp", code: "EMPTY_VALUES_DROPPED", content: withValue('""') },
  { engine: "gdal", hop: "geojson>gml", code: "CHARACTERS_REPLACED", content: withValue('"\\u0001"') },
  { engine: "gdal", hop: "csv>geojson", code: "ENCODING_GUESSED", content: latin("lat,lon,name\n1,2,J\xfcrgen\n") },
  {
    engine: "gdal",
    hop: "kml>geojson",
    code: "EXTERNAL_CONTENT_BLOCKED",
    content:
      '<kml xmlns="http://www.opengis.net/kml/2.2"><Document><NetworkLink><Link><href>https://example.org/a.kml</href></Link></NetworkLink><Placemark><Point><coordinates>1,2</coordinates></Point></Placemark></Document></kml>',
  },
  {
    engine: "gdal",
    hop: "kml>geojson",
    code: "STYLING_DROPPED",
    content:
      '<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><Style><LineStyle/></Style><Point><coordinates>1,2</coordinates></Point></Placemark></kml>',
  },
  {
    engine: "gdal",
    hop: "topojson>geojson",
    code: "STRUCTURE_FLATTENED",
    content:
      '{"type":"Topology","objects":{"a":{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2],"properties":{"l":["a,b"]}}]}},"arcs":[]}',
  },
  { engine: "gpsbabel", hop: "gpx>loc", code: "TRACKS_LEFT_OUT", content: places },
  { engine: "gpsbabel", hop: "gpx>igc", code: "ENTRIES_LEFT_OUT", content: places },
  { engine: "gpsbabel", hop: "gpx>tcx", code: "NUMBERS_ROUNDED", content: places },
  { engine: "gpsbabel", hop: "gpx>fit", code: "METADATA_DROPPED", content: places },
  { engine: "gpsbabel", hop: "gpx>tcx", code: "STRUCTURE_FLATTENED", content: places },
];
