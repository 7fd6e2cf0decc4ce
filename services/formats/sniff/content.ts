/** What the content alone shows. */
export type Content = {
  /** The best id. Undefined if the recognised content is no format of the table, or if it only shows the family. */
  readonly format: string | undefined;
  /** Other ids that the content allows. A name with one of them is accepted. */
  readonly orNamed?: readonly string[];
  /** Ids that are correct but less specific. A name with one of them does not disagree. */
  readonly under?: readonly string[];
};

/** Formats that share their first bytes with the one on the left. Only the name distinguishes them. */
const siblings: Readonly<Record<string, readonly string[]>> = {
  jpg: ["mjpeg"],
  jp2: ["jpm"],
  tiff: ["ptif", "dng", "nef", "arw", "pef", "srw"],
  png: ["apng"],
  ico: ["cur"],
  cur: ["ico"],
  mp4: ["m4v", "f4v", "ismv", "m4a", "f4a", "3gp", "mov"],
  m4a: ["m4b", "m4r", "alac", "f4a", "3ga", "mp4"],
  alac: ["m4a", "m4b", "m4r"],
  m4v: ["mp4", "mov"],
  mov: ["mp4", "m4v", "f4v"],
  "3gp": ["3ga", "mp4", "3g2"],
  "3g2": ["3gp", "3ga"],
  f4v: ["mp4", "f4a"],
  mkv: ["mka", "mks", "mk3d"],
  webm: ["weba", "mkv"],
  ogg: ["oga", "opus", "spx"],
  oga: ["ogg"],
  opus: ["oga", "ogg"],
  spx: ["oga", "ogg"],
  ogv: ["ogg"],
  wmv: ["asf", "wma"],
  wma: ["asf"],
  asf: ["wma", "wmv"],
  avi: ["divx"],
  mpg: ["mpeg", "vob"],
  m2v: ["m1v", "mpg", "mpeg"],
  ts: ["mts", "m2ts"],
  m2ts: ["mts", "ts"],
  rm: ["ra"],
  wav: ["rf64"],
  rf64: ["wav"],
  mp2: ["mp3"],
  mp3: ["mp2"],
  eac3: ["ac3"],
  xm: ["oxm"],
  mobi: ["azw", "prc", "azw3"],
  azw3: ["azw", "mobi", "prc"],
  pdb: ["prc"],
  zip: ["zipx", "cbz", "jar", "apk", "shp", "gdb", "ufo", "kmz", "htmlz", "txtz", "pmlz", "zae"],
  tar: ["cbt"],
  rar: ["cbr"],
  "7z": ["cb7"],
  gz: ["tgz", "vgm", "abw", "svgz", "gnumeric", "blend"],
  bz2: ["tbz2"],
  xz: ["txz"],
  zst: ["tzst"],
  lz4: ["tlz4"],
  lz: ["tlz"],
  lzo: ["tlzo"],
  lzma: ["tlz"],
  sqlite: ["gpkg", "mbtiles"],
  pdf: ["pdfa"],
  ps: ["eps"],
  docx: ["dotx", "docm"],
  xlsx: ["xltx", "xlsm"],
  pptx: ["ppsx", "potx", "pptm"],
  doc: ["dot"],
  xls: ["xlt", "xlr"],
  wpd: ["qpw"],
  ass: ["ssa"],
  ssa: ["ass"],
  ppt: ["pps", "pot"],
  svg: ["svgfont"],
  html: ["xhtml", "hocr", "revealjs", "md", "mediawiki"],
  xhtml: ["html", "hocr"],
  hocr: ["html"],
  docbook: ["jats"],
  jats: ["docbook"],
  eml: ["mhtml", "mbox"],
  mhtml: ["eml"],
  json: ["geojson", "topojson", "gltf", "ipynb", "csljson", "pandocjson", "esrijson", "json5", "hjson", "ndjson", "geojsonl", "yaml"],
  ndjson: ["json", "geojsonl", "hjson"],
  sgi: ["pix"],
  x3d: ["xml"],
  h264: ["hevc"],
};

/** Content of a format, including its siblings. */
export function contentOfFormat(format: string, more: Omit<Content, "format"> = {}): Content {
  const orNamed = [...(more.orNamed ?? []), ...(siblings[format] ?? [])];
  return { format, orNamed, ...(more.under === undefined ? {} : { under: more.under }) };
}
