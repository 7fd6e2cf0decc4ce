/** Classes CA, MA and TR: e-books, maps and tracks that run programs, fetch references, or never end. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zipFile } from "#test/harness/zip-file.ts";
import { type Aim, type Attack, attackOn, early } from "./attack.ts";
import { xml } from "./office-files.ts";

const typical = (path: string): Buffer => readFileSync(new URL(`../corpus/typical/${path}`, import.meta.url));
const external = ({ secretFile }: Aim, root: string): string => `${xml}<!DOCTYPE ${root} [<!ENTITY x SYSTEM "file://${secretFile}">]>`;

/** A recipe is a program that Calibre runs to fetch news. */
const recipe = ({ url, outDir }: Aim): string =>
  `from calibre.web.feeds.news import BasicNewsRecipe\nimport os\nos.system("touch ${outDir}/calibre")\nclass R(BasicNewsRecipe):\n  title = "news"\n  feeds = [("a", "${url}/feed")]\n`;
const pageWithFiles = ({ url, secretFile, secretPicture }: Aim): string =>
  `<html><head><title>book</title><link rel="stylesheet" href="${url}/s.css"><style>@import "file://${secretFile}";</style></head><body><p>book</p>
  <img src="file://${secretPicture}"><img src="${secretPicture}"><img src="../../../../..${secretPicture}"><img src="${url}/calibre.png">
  <iframe src="file://${secretFile}"></iframe><object data="${secretFile}"></object><a href="file://${secretFile}">a</a><a href="../../..${secretFile}">b</a></body></html>`;
const zippedPage = (aim: Aim): Buffer => zipFile([{ name: "index.html", content: pageWithFiles(aim) }]);
const zippedPageWithCover = (aim: Aim): Buffer => {
  const cover = `<reference type="cover" title="c" href="${aim.secretPicture}"/>`;
  const opf = `${xml}<package xmlns="http://www.idpf.org/2007/opf" version="2.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>b</dc:title><meta name="cover" content="c"/></metadata><manifest><item id="c" href="${aim.secretPicture}" media-type="image/png"/></manifest><guide>${cover}</guide></package>`;
  return zipFile([
    { name: "index.html", content: pageWithFiles(aim) },
    { name: "metadata.opf", content: opf },
  ]);
};
const epubWithFiles = (aim: Aim): Buffer => {
  const rootfile = '<rootfiles><rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles>';
  const items = `<item id="p" href="p.html" media-type="application/xhtml+xml"/><item id="s" href="../../..${aim.secretFile}" media-type="text/html"/><item id="i" href="file://${aim.secretPicture}" media-type="image/png"/>`;
  const head = '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>b</dc:title><dc:language>en</dc:language></metadata>';
  return zipFile([
    { name: "mimetype", content: "application/epub+zip", isStored: true },
    {
      name: "META-INF/container.xml",
      content: `${xml}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">${rootfile}</container>`,
    },
    {
      name: "a.opf",
      content: `${xml}<package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="u">${head}<manifest>${items}</manifest><spine><itemref idref="p"/><itemref idref="s"/></spine></package>`,
    },
    { name: "p.html", content: pageWithFiles(aim) },
  ]);
};
/** Each byte expands to 255 others. */
const swellingTcr = (): Buffer => {
  const word = Buffer.concat([Buffer.from([255]), Buffer.alloc(255, 0x61)]);
  return Buffer.concat([Buffer.from("!!8-Bit!!"), ...Array<Buffer>(256).fill(word), Buffer.alloc(4_000_000, 1)]);
};

const book = attackOn("calibre");
const bookAttacks: readonly Attack[] = [
  book("CA1-recipe", "a program for Calibre, named .epub", "a.epub", recipe, "INVALID_INPUT", ["azw3"], { ...early, query: "from=epub" }),
  book("CA1-text", "the same, taken for the text that it is", "a.recipe", recipe, "converts", ["azw3"], { query: "from=txt" }),
  book(
    "CA1-zipped",
    "the same in a ZIP, named .epub",
    "a.epub",
    (aim) => zipFile([{ name: "a.recipe", content: recipe(aim) }]),
    "INVALID_INPUT",
    ["azw3"],
    { query: "from=epub" },
  ),
  book("CA2-epub", "a book whose parts are the host's files", "a.epub", epubWithFiles, "is bounded", ["azw3"]),
  book("CA2-page", "a packed page with frames and pictures of the host and the network", "a.htmlz", zippedPage, "converts", ["epub"]),
  book("CA2-cover", "a packed page whose cover is a host's picture", "a.htmlz", zippedPageWithCover, "CONVERSION_FAILED", ["epub"]),
  book(
    "CA2-entity",
    "a FictionBook with an entity that is a file of the host",
    "a.fb2",
    (aim) => `${external(aim, "FictionBook")}<FictionBook><body><section><p>&x;</p></section></body></FictionBook>`,
    "INVALID_INPUT",
    ["epub"],
    { ...early, query: "from=fb2" },
  ),
  book("CA3-swell", "a gigabyte in four megabytes of TCR", "a.tcr", swellingTcr, "is bounded", ["epub"], { query: "from=tcr" }),
];

const place = "<gml:Point><gml:pos>1 2</gml:pos></gml:Point>";
const gmlWithFiles = ({ url, secretFile }: Aim): string =>
  `${xml}<c xmlns:gml="http://www.opengis.net/gml" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${url}/a ${url}/a.xsd file://${secretFile} file://${secretFile}"><gml:featureMember><f><g>${place}</g><n xlink:href="${url}/x.gml#a"/><m xlink:href="file://${secretFile}"/></f></gml:featureMember></c>`;
const kmlWithFiles = ({ url, secretPicture }: Aim): string =>
  `${xml}<kml xmlns="http://www.opengis.net/kml/2.2"><Document><NetworkLink><Link><href>${url}/a.kml</href></Link></NetworkLink><NetworkLink><Url><href>file://${secretPicture}</href></Url></NetworkLink><Style id="s"><IconStyle><Icon><href>${secretPicture}</href></Icon></IconStyle></Style><Placemark><name>a</name><styleUrl>${url}/s.kml#s</styleUrl><Point><coordinates>1,2</coordinates></Point></Placemark></Document></kml>`;
const virtualLayer = ({ url, secretFile }: Aim): string =>
  `<OGRVRTDataSource><OGRVRTLayer name="a"><SrcDataSource>${secretFile}</SrcDataSource></OGRVRTLayer><OGRVRTLayer name="b"><SrcDataSource>/vsicurl/${url}/a.csv</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>`;
/** A spatial table that is an endless query. */
function endlessGeoPackage(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "filemill-map-"));
  try {
    const path = join(folder, "a.gpkg");
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA application_id = 0x47504B47; PRAGMA user_version = 10300;
      CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT, srs_id INTEGER PRIMARY KEY, organization TEXT, organization_coordsys_id INTEGER, definition TEXT, description TEXT);
      INSERT INTO gpkg_spatial_ref_sys VALUES ('a', 4326, 'EPSG', 4326, 'undefined', ''), ('b', -1, 'NONE', -1, 'undefined', ''), ('c', 0, 'NONE', 0, 'undefined', '');
      CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT, identifier TEXT, description TEXT, last_change TEXT, min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER);
      CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, geometry_type_name TEXT, srs_id INTEGER, z TINYINT, m TINYINT);
      CREATE VIEW endless AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n AS fid, NULL AS geom FROM c;
      INSERT INTO gpkg_contents VALUES ('endless', 'features', 'endless', '', '2026-01-01T00:00:00Z', 0, 0, 1, 1, 4326);
      INSERT INTO gpkg_geometry_columns VALUES ('endless', 'geom', 'POINT', 4326, 0, 0);`);
    database.close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
const deepGeoJson = (): string =>
  `{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":${"[".repeat(200_000)}1${"]".repeat(200_000)}}}`;

const map = attackOn("gdal");
const mapAttacks: readonly Attack[] = [
  map("MA1-schema", "a map whose description is a host's file and at an address", "a.gml", gmlWithFiles, "is bounded", ["geojson", "csv"]),
  map("MA1-links", "a map that is continued at an address", "a.kml", kmlWithFiles, "converts", ["geojson", "gpx", "kmz"]),
  map("MA1-layers", "a description of layers that are the host's files, named .gml", "a.gml", virtualLayer, "INVALID_INPUT", ["geojson"], {
    query: "from=gml",
  }),
  map(
    "MA1-entity",
    "a map with an entity that is a file of the host",
    "a.kml",
    (aim) => `${external(aim, "kml")}<kml><Placemark><name>&x;</name></Placemark></kml>`,
    "INVALID_INPUT",
    ["geojson"],
    early,
  ),
  map("MA2-endless", "a table of places that is a question without end", "a.gpkg", endlessGeoPackage, "is bounded", ["geojson"]),
  map("MA2-nested", "200,000 lists inside each other", "a.geojson", deepGeoJson, "is bounded", ["kml"], { query: "from=geojson" }),
];

/** Claims to be longer than it is. */
const swollen = (path: string, at: number): Buffer => {
  const bytes = typical(path);
  bytes.writeUInt32LE(0x7fff_fff0, at);
  return bytes;
};

const track = attackOn("gpsbabel");
const trackAttacks: readonly Attack[] = [
  track(
    "TR1-entity",
    "a track with an entity that is a file of the host",
    "a.tcx",
    (aim) => `${external(aim, "TrainingCenterDatabase")}<TrainingCenterDatabase><Author>&x;</Author></TrainingCenterDatabase>`,
    "INVALID_INPUT",
    ["gpx"],
    { ...early, query: "from=tcx" },
  ),
  track("TR2-fit", "a FIT file that claims two gigabytes", "a.fit", () => swollen("geo/typical.fit", 4), "is bounded", ["gpx"]),
  track("TR2-gpi", "places whose list claims two gigabytes", "a.gpi", () => swollen("geo/typical.gpi", 16), "is bounded", ["gpx"], {
    query: "from=gpi",
  }),
];

export const mapAndBookAttacks: readonly Attack[] = [...bookAttacks, ...mapAttacks, ...trackAttacks];
