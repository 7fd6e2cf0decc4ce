/** Identifies files with independent tools. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

export type Reading = {
  /** According to `file`. */
  readonly mime: string;
  /** Pictures and films, according to ffprobe. */
  readonly width?: number;
  readonly height?: number;
  readonly codec?: string;
  readonly pixelFormat?: string;
  readonly durationS?: number;
  /** PDF, according to pdfinfo. */
  readonly pages?: number;
  /** Zip containers, according to unzip. */
  readonly entries?: readonly string[];
};

/** Reads a file with every reader that knows its type. */
export async function readingOf(path: string): Promise<Reading> {
  const mime = (await textOf("file", ["--brief", "--mime-type", path])).trim();
  if (mime === "application/pdf") return { mime, pages: Number(/^Pages:\s+(\d+)/m.exec(await textOf("pdfinfo", [path]))?.[1]) };
  if (/^application\/(zip|epub\+zip|vnd\.(oasis|openxmlformats))/.test(mime)) {
    return { mime, entries: (await textOf("unzip", ["-Z1", path])).trim().split("\n") };
  }
  if (/^(image|video|audio)\//.test(mime) && mime !== "image/svg+xml") return { mime, ...(await probeOf(path)) };
  return { mime };
}

async function probeOf(path: string): Promise<Partial<Reading>> {
  const said = await textOf("ffprobe", ["-v", "error", "-of", "json", "-show_streams", "-show_format", path]).catch(() => "{}");
  const { streams = [], format = {} }: { streams?: Record<string, unknown>[]; format?: Record<string, unknown> } = JSON.parse(said);
  const stream = streams.find((each) => each["codec_type"] === "video") ?? streams[0];
  if (stream === undefined) return {};
  return {
    ...(Number(stream["width"]) > 0 ? { width: Number(stream["width"]), height: Number(stream["height"]) } : {}),
    ...(typeof stream["codec_name"] === "string" ? { codec: stream["codec_name"] } : {}),
    ...(typeof stream["pix_fmt"] === "string" ? { pixelFormat: stream["pix_fmt"] } : {}),
    ...(Number(format["duration"]) > 0 ? { durationS: Number(format["duration"]) } : {}),
  };
}

async function textOf(program: string, args: readonly string[]): Promise<string> {
  return (await run(program, [...args], { maxBuffer: 16 * 2 ** 20, env: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" } })).stdout;
}

/** MIME types that `file` reports for each format. */
export const mimesOf: Readonly<Record<string, readonly string[]>> = {
  jpg: ["image/jpeg"],
  png: ["image/png"],
  webp: ["image/webp"],
  gif: ["image/gif"],
  avif: ["image/avif"],
  tiff: ["image/tiff"],
  svg: ["image/svg+xml"],
  pdf: ["application/pdf"],
  pdfa: ["application/pdf"],
  cbz: ["application/zip"],
  dxf: ["image/vnd.dxf"],
  hocr: ["text/xml", "text/html", "application/xhtml+xml"],
  ...each("image/png", "apng"),
  ...each("image/x-portable-pixmap", "ppm"),
  ...each("image/x-portable-greymap", "pgm"),
  ...each("image/x-portable-bitmap", "pbm"),
  ...each("image/x-portable-arbitrarymap", "pam"),
  ...each("image/heic", "heic"),
  ...each("image/jxl", "jxl"),
  ...each("image/bmp", "bmp"),
  ...each("image/vnd.microsoft.icon", "ico cur"),
  ...each("image/vnd.adobe.photoshop", "psd"),
  ...each("image/x-exr", "exr"),
  ...each("image/x-pcx", "pcx"),
  ...each("image/x-dcx", "dcx"),
  ...each("image/jp2", "jp2"),
  ...each("image/x-jp2-codestream", "j2k"),
  ...each("image/x-xpixmap", "xpm"),
  ...each("image/x-dpx", "dpx"),
  ...each("image/fits", "fits"),
  ...each("image/x-xwindowdump", "xwd"),
  ...each("image/x-miff", "miff"),
  ...each("video/x-jng", "jng"),
  ...each("image/x-tga", "tga"),
  ...each("image/x-qoi", "qoi"),
  xbm: ["text/plain", "text/x-c", "image/x-xbitmap"],
  ...each("application/postscript", "ps eps"),
  ...each("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx docm dotx"),
  ...each("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx xlsm xltx"),
  ...each("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx ppsx potx pptm ppsm potm"),
  ...each("application/vnd.oasis.opendocument.text", "odt"),
  ...each("application/vnd.oasis.opendocument.text-template", "ott"),
  ...each("application/vnd.oasis.opendocument.spreadsheet", "ods"),
  ...each("application/vnd.oasis.opendocument.spreadsheet-template", "ots"),
  ...each("application/vnd.oasis.opendocument.presentation", "odp"),
  ...each("application/vnd.oasis.opendocument.presentation-template", "otp"),
  ...each("application/vnd.oasis.opendocument.graphics", "odg"),
  ...each("application/vnd.oasis.opendocument.graphics-template", "otg"),
  ...each("application/msword", "doc dot"),
  ...each("application/vnd.ms-excel", "xls xlt"),
  ...each("application/vnd.ms-powerpoint", "ppt pps pot"),
  ...each("application/epub+zip", "epub"),
  ...each("text/rtf", "rtf"),
  ...each("text/html", "html"),
  ...each("text/xml", "xml xhtml fodt fods fodp fodg uot uos uop docx2003 xlsx2003 docbook jats tei opml fb2 icml"),
  ...each("application/json", "ipynb json"),
  ...each("application/x-dbf", "dbf"),
  ...each("application/x-dif", "dif"),
  ...each("application/x-sylk", "slk"),
  csv: ["text/csv", "text/plain"],
  // Tables that these cannot express are HTML, which `file` detects first.
  ttf: ["font/sfnt"],
  otf: ["application/vnd.ms-opentype"],
  ...each("font/woff", "woff"),
  ...each("font/woff2", "woff2"),
  pfb: ["font/x-postscript-pfb", "application/octet-stream"],
  pfa: ["font/x-postscript-pfa", "application/postscript", "text/plain"],
  ...each("application/zip", "zip cbz"),
  ...each("application/x-7z-compressed", "7z cb7"),
  ...each("application/x-tar", "tar cbt"),
  ...each("application/gzip", "tgz gz"),
  ...each("application/x-bzip2", "tbz2 bz2"),
  ...each("application/x-xz", "txz xz"),
  ...each("application/zstd", "tzst zst"),
  ...each("application/x-cpio", "cpio"),
  ...each("application/x-iso9660-image", "iso"),
  ...each("application/x-subrip", "srt"),
  ...each("text/vtt", "vtt"),
  ttml: ["text/xml", "application/ttml+xml"],
  smi: ["text/html", "text/plain", "application/x-sami"],
  // A single line of it is JSON to `file`.
  ndjson: ["application/x-ndjson", "application/json", "text/plain"],
  json5: ["application/json", "application/javascript", "text/plain"],
  plist: ["text/xml", "application/x-plist"],
  toml: ["application/toml", "text/plain", "application/x-wine-extension-ini"],
  ini: ["text/plain", "application/x-wine-extension-ini"],
  // `file` sees only bytes: an independent decoder checks them.
  msgpack: ["application/octet-stream", "text/plain"],
  cbor: ["application/octet-stream", "text/plain"],
  bson: ["application/octet-stream", "text/plain"],
  xlsb: ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/zip"],
  ...each("application/vnd.sqlite3", "sqlite"),
  parquet: ["application/vnd.apache.parquet", "application/octet-stream"],
  avro: ["application/avro", "application/octet-stream"],
  md: ["text/plain", "text/html"],
  textile: ["text/plain", "text/html"],
  ...each(
    "text/plain",
    "txt ass ssa sub sbv lrc psv yaml properties tsv rst org mediawiki dokuwiki jira muse haddock adoc context xwiki zimwiki markua",
  ),
  ...each("text/x-tex", "tex texinfo"),
  ...each("text/troff", "man ms"),
  eml: ["message/rfc822", "text/plain"],
  mbox: ["application/mbox", "text/plain", "text/html", "message/rfc822"],
  vcf: ["text/vcard", "text/plain"],
  ...each("application/json", "geojson topojson"),
  geojsonl: ["application/x-ndjson", "application/json", "application/geo+json", "text/plain"],
  kml: ["application/vnd.google-earth.kml+xml", "text/xml"],
  kmz: ["application/vnd.google-earth.kmz", "application/zip"],
  gpx: ["application/gpx+xml", "text/xml"],
  ...each("text/xml", "gml georss jml tcx lmx loc osm"),
  ...each("application/zip", "shp gdb"),
  ...each("application/vnd.sqlite3", "gpkg mbtiles"),
  ...each("application/octet-stream", "fgb"),
  dgn: ["application/x-bentley-dgn", "application/octet-stream"],
  mapml: ["text/html", "text/xml"],
  glb: ["model/gltf-binary", "application/octet-stream"],
  gltf: ["model/gltf+json", "application/json"],
  obj: ["text/plain", "model/obj"],
  stl: ["application/octet-stream", "model/stl", "text/plain"],
  ply: ["application/octet-stream", "text/plain", "model/ply"],
  dae: ["text/xml", "model/vnd.collada+xml"],
  x3d: ["text/xml", "model/x3d+xml"],
  ...each("application/octet-stream", "fbx"),
  "3ds": ["application/octet-stream", "image/x-3ds", "application/x-3ds"],
  x: ["text/plain", "model/x-directx"],
  step: ["text/plain", "model/step"],
  ...each("text/plain", "igc plt gv xdot"),
  fit: ["application/octet-stream", "application/fits", "application/x-fit"],
  gpi: ["application/octet-stream"],
  ov2: ["application/octet-stream", "text/plain"],
  fig: ["image/x-xfig", "text/plain"],
  vrml: ["model/vrml", "text/plain"],
  graphml: ["text/xml"],
  svgz: ["application/gzip", "image/svg+xml-compressed"],
  ...each("application/x-mobipocket-ebook", "mobi azw3"),
  ...each("application/zip", "htmlz txtz pmlz ufo"),
  dfont: ["application/x-dfont", "application/octet-stream"],
  djvu: ["image/vnd.djvu"],
  lit: ["application/x-ms-reader"],
  // `file` does not recognise these.
  ...each("application/octet-stream", "lrf pdb rb tcr"),
  sfd: ["application/vnd.font-fontforge-sfd", "text/plain", "application/octet-stream"],
  t42: ["application/postscript"],
  svgfont: ["image/svg+xml"],
  ...each("application/x-lz4", "tlz4 lz4"),
  ...each("application/x-lzip", "tlz lz"),
  taz: ["application/x-compress"],
  lzma: ["application/x-lzma"],
  emf: ["image/emf", "application/octet-stream"],
  ...each("image/wmf", "wmf"),
  ...each("audio/mpeg", "mp3 mp2"),
  ...each("audio/x-wav", "wav rf64"),
  ...each("audio/flac", "flac"),
  ...each("audio/ogg", "ogg oga opus"),
  ...each("audio/x-m4a", "m4a m4b m4r alac"),
  ...each("audio/x-hx-aac-adts", "aac"),
  ...each("audio/x-aiff", "aiff"),
  ...each("audio/basic", "au"),
  ...each("audio/x-w64", "w64"),
  ...each("audio/vnd.dolby.dd-raw", "ac3 eac3"),
  ...each("video/x-ms-asf", "wma wmv asf"),
  ...each("video/x-matroska", "mka mkv"),
  ...each("video/webm", "webm weba"),
  ...each("video/mp4", "mp4 m4v"),
  ...each("video/quicktime", "mov"),
  ...each("video/3gpp", "3gp"),
  ...each("video/3gpp2", "3g2"),
  ...each("video/x-msvideo", "avi"),
  ...each("video/x-flv", "flv"),
  ...each("video/mpeg", "mpg mpeg vob"),
  ...each("video/ogg", "ogv"),
  // `file` does not recognise these: ffprobe checks them.
  ...each("application/octet-stream", "caf tta wv ts mts m2ts f4v"),
  // Nor these, which a test reads back by colour.
  ...each("application/octet-stream", "dds sgi ras wbmp pict viff vicar mtv avs"),
};

function each(mime: string, formats: string): Record<string, readonly string[]> {
  return Object.fromEntries(formats.split(" ").map((format) => [format, [mime]]));
}
