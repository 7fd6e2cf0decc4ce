/** Checks each result before it counts, independently of the engine that made it, because exit code 0 proves nothing. */
import { FilemillError } from "#contract/errors.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";

type Ends = { readonly head: Buffer; readonly tail: Buffer; readonly sizeBytes: number };
type Check = (ends: Ends) => boolean;

const endBytes = 4096;
const zipTailBytes = 66_000;

const startsWith =
  (...signatures: readonly string[]): Check =>
  ({ head }) =>
    signatures.some((signature) => head.subarray(0, signature.length).equals(Buffer.from(signature, "latin1")));
const holdsAt =
  (offset: number, ...signatures: readonly string[]): Check =>
  ({ head }) =>
    signatures.some((signature) => head.subarray(offset, offset + signature.length).equals(Buffer.from(signature, "latin1")));
const endsWith =
  (signature: string, within: number): Check =>
  ({ tail }) =>
    tail.subarray(-within).includes(Buffer.from(signature, "latin1"));
const all =
  (...checks: readonly Check[]): Check =>
  (ends) =>
    checks.every((check) => check(ends));
const any =
  (...checks: readonly Check[]): Check =>
  (ends) =>
    checks.some((check) => check(ends));

/** RIFF: the stated size is not larger than the file. */
const riff = (kind: string) => all(startsWith("RIFF"), holdsAt(8, kind), ({ head, sizeBytes }) => head.readUInt32LE(4) <= sizeBytes);
/** ISO base media: the first box is `ftyp`. */
const isoMedia = holdsAt(4, "ftyp");
const compound = startsWith("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
const matroska = startsWith("\x1a\x45\xdf\xa3");
const ogg = startsWith("OggS");
const asf = startsWith("\x30\x26\xb2\x75\x8e\x66\xcf\x11");
/** Starts with 11 set bits (MPEG audio, AAC in ADTS), or with a tag before them. */
const mpegFrames: Check = any(startsWith("ID3"), ({ head }) => head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0);
const transportStream =
  (packet: number, offset: number): Check =>
  ({ head }) =>
    head[offset] === 0x47 && (head.length <= packet || head[offset + packet] === 0x47);

/** A central directory that points at its own entries, at least one of them. */
const zip: Check = ({ head, tail, sizeBytes }) => {
  const end = tail.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  if (end < 0 || end + 22 > tail.length || head.readUInt32LE(0) !== 0x04034b50) return false;
  const entries = tail.readUInt16LE(end + 10);
  const directoryBytes = tail.readUInt32LE(end + 12);
  const directoryAt = tail.readUInt32LE(end + 16);
  return entries > 0 && (directoryAt === 0xffffffff || directoryAt + directoryBytes <= sizeBytes);
};
/** The first entry names the type (OpenDocument, EPUB). */
const typedZip = (type: string) => all(zip, ({ head }) => head.includes(Buffer.from(`mimetype${type}`, "latin1")));
const packageZip = (part: string) => all(zip, ({ tail }) => tail.includes(Buffer.from(part, "latin1")));

/** Fonts of PDF files may map unknown characters to control characters. The text around them is still text. */
const maxControlShare = 0.25;

/** Empty pages of a PDF become form feeds or no-break spaces, which count as content. */
const shown = /[^ \t\r\n\ufeff]/;

/** UTF-8 text with few control characters and no NUL. A character cut off at the end of the window is tolerated. */
const text: Check = ({ head, sizeBytes }) => {
  const whole = head.length === sizeBytes;
  try {
    const decoded = new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: !whole });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    const controls = decoded.match(/[\x01-\x08\x0e-\x1a\x1c-\x1f]/g)?.length ?? 0;
    return shown.test(decoded) && !decoded.includes("\0") && controls <= decoded.length * maxControlShare;
  } catch {
    return false;
  }
};
/** Text in the encoding that was asked for: a check does not know which. */
const encodedText: Check = any(text, ({ head }) => {
  const isWide = head.length >= 2 && head.readUInt16LE(0) === 0xfeff;
  const decoded = isWide ? head.toString("utf16le") : head.toString("latin1");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return shown.test(decoded) && !/[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(decoded);
});
const textWith = (pattern: RegExp) => all(text, ({ head }) => pattern.test(head.toString("utf8")));
const xml = textWith(/^\s*(?:\ufeff)?<[?!a-zA-Z]/);
const json: Check = all(
  text,
  ({ head, tail }) => /^\s*[[{"\d\-tfn]/.test(head.toString("utf8")) && /[\]}"\dle]\s*$/.test(tail.toString("utf8")),
);

const each = (ids: string, check: Check): Record<string, Check> => Object.fromEntries(ids.split(" ").map((id) => [id, check]));

const checks: Readonly<Record<string, Check>> = {
  png: all(startsWith("\x89PNG\r\n\x1a\n"), endsWith("IEND", 16)),
  apng: all(startsWith("\x89PNG\r\n\x1a\n"), endsWith("IEND", 16)),
  jpg: all(startsWith("\xff\xd8\xff"), endsWith("\xff\xd9", 64)),
  gif: all(startsWith("GIF87a", "GIF89a"), endsWith("\x3b", 4)),
  webp: riff("WEBP"),
  tiff: startsWith("II*\0", "MM\0*", "II+\0", "MM\0+"),
  bmp: startsWith("BM"),
  ico: startsWith("\0\0\x01\0"),
  icns: startsWith("icns"),
  jp2: startsWith("\0\0\0\x0cjP  "),
  jxl: startsWith("\xff\x0a", "\0\0\0\x0cJXL "),
  psd: startsWith("8BPS"),
  ...each("avif heic", isoMedia),
  ppm: startsWith("P3", "P6"),
  pgm: startsWith("P2", "P5"),
  pbm: startsWith("P1", "P4"),
  pam: startsWith("P7"),
  dds: startsWith("DDS "),
  exr: startsWith("\x76\x2f\x31\x01"),
  pcx: startsWith("\x0a"),
  dcx: startsWith("\xb1\x68\xde\x3a"),
  j2k: startsWith("\xff\x4f\xff\x51"),
  xpm: startsWith("/* XPM"),
  xbm: textWith(/^(\/\*.*\*\/\s*)?#define \w+_width \d/),
  sgi: startsWith("\x01\xda"),
  wbmp: startsWith("\0\0"),
  pict: holdsAt(522, "\x00\x11\x02\xff"),
  dpx: startsWith("SDPX", "XPDS"),
  fits: startsWith("SIMPLE  ="),
  ras: startsWith("\x59\xa6\x6a\x95"),
  xwd: holdsAt(4, "\0\0\0\x07"),
  miff: startsWith("id=ImageMagick"),
  jng: startsWith("\x8bJNG"),
  viff: startsWith("\xab"),
  vicar: startsWith("LBLSIZE="),
  mtv: ({ head }) => /^\d+ \d+\n/.test(head.toString("latin1", 0, 24)),
  tga: ({ head }) => [1, 2, 3, 9, 10, 11].includes(head[2] ?? 0),
  qoi: all(startsWith("qoif"), endsWith("\0\0\0\0\0\0\0\x01", 8)),
  dxf: textWith(/^\s*(0|999)\s/),
  hocr: all(text, ({ head }) => head.includes("ocr", Math.max(0, head.indexOf("<html"))) && head.includes("<html")),
  emf: holdsAt(40, " EMF"),
  wmf: startsWith("\xd7\xcd\xc6\x9a", "\x01\0\x09\0"),
  ...each("eps ps", startsWith("%!PS", "\xc5\xd0\xd3\xc6")),
  svg: textWith(/<svg[\s>]/),
  ...each("pdf pdfa", all(startsWith("%PDF-"), endsWith("%%EOF", 1024))),
  ...each("docx docm dotx", packageZip("word/document")),
  ...each("xlsx xlsm xltx", packageZip("xl/workbook")),
  ...each("pptx ppsx potx pptm", packageZip("ppt/presentation")),
  ...each("odt ott", typedZip("application/vnd.oasis.opendocument.text")),
  ...each("ods ots", typedZip("application/vnd.oasis.opendocument.spreadsheet")),
  ...each("odp otp", typedZip("application/vnd.oasis.opendocument.presentation")),
  ...each("odg otg", typedZip("application/vnd.oasis.opendocument.graphics")),
  epub: typedZip("application/epub+zip"),
  ...each("zip jar cbz", zip),
  ...each("doc dot xls xlt ppt pps pot", compound),
  rtf: all(startsWith("{\\rtf"), endsWith("}", 64)),
  ...each("html xhtml", textWith(/<[a-zA-Z!?]/)),
  ...each("fodt fods fodp fodg uot uos uop docx2003 xlsx2003 docbook jats tei opml fb2 icml xml", xml),
  ...each("json ipynb", json),
  ndjson: all(text, ({ head }) => /^\s*[[{"\d\-tfn]/.test(head.toString("utf8"))),
  xlsb: packageZip("xl/workbook"),
  plist: any(all(xml, textWith(/<plist/)), startsWith("bplist00")),
  ...each("yaml json5 toml ini properties psv", text),
  ttf: startsWith("\0\x01\0\0", "true"),
  otf: startsWith("OTTO", "\0\x01\0\0"),
  woff: startsWith("wOFF"),
  woff2: startsWith("wOF2"),
  pfb: startsWith("\x80\x01"),
  pfa: startsWith("%!"),
  ...each("7z cb7", startsWith("7z\xbc\xaf\x27\x1c")),
  ...each("tar cbt", holdsAt(257, "ustar")),
  ...each("tgz gz", startsWith("\x1f\x8b")),
  ...each("tbz2 bz2", startsWith("BZh")),
  ...each("txz xz", all(startsWith("\xfd7zXZ\0"), endsWith("YZ", 2))),
  ...each("tzst zst", startsWith("\x28\xb5\x2f\xfd")),
  cpio: startsWith("070701"),
  iso: ({ sizeBytes }) => sizeBytes >= 34 * 2048 && sizeBytes % 2048 === 0,
  srt: textWith(/^\s*\d+\r?\n\d+:\d\d:\d\d,\d/),
  vtt: textWith(/^WEBVTT/),
  ...each("ass ssa", textWith(/^\[Script Info\]/)),
  ttml: textWith(/<tt[\s>]/),
  smi: textWith(/^<SAMI/i),
  sub: textWith(/^\{\d+\}\{\d+\}/),
  // Each part of a message has its own encoding.
  eml: ({ head }) => /^[\x21-\x39\x3b-\x7e]+:/.test(head.toString("latin1")),
  mbox: startsWith("From "),
  vcf: textWith(/^BEGIN:VCARD/i),
  sbv: textWith(/^\d+:\d\d:\d\d\.\d/),
  lrc: textWith(/^\[\d+:\d\d/),
  ...each("geojson topojson", json),
  geojsonl: textWith(/^\s*\{/),
  ...each("kml gpx gml georss jml mapml osm tcx lmx loc", xml),
  ...each("kmz shp gdb", zip),
  ...each("gpkg mbtiles", startsWith("SQLite format 3\0")),
  fgb: startsWith("fgb"),
  dgn: startsWith("\x08\x09\xfe\x02", "\xc8\x09\xfe\x02"),
  glb: all(startsWith("glTF"), ({ head, sizeBytes }) => head.readUInt32LE(8) === sizeBytes),
  gltf: json,
  obj: textWith(/^(#|mtllib|v[nt]?\s|[ogs]\s)/),
  stl: any(textWith(/^solid/), ({ head, sizeBytes }) => sizeBytes === 84 + 50 * head.readUInt32LE(80)),
  ply: startsWith("ply\n", "ply\r\n"),
  ...each("dae x3d", xml),
  fbx: startsWith("Kaydara FBX Binary", "; FBX"),
  "3ds": all(startsWith("MM"), ({ head, sizeBytes }) => head.readUInt32LE(2) === sizeBytes),
  x: startsWith("xof "),
  step: startsWith("ISO-10303-21;"),
  fit: holdsAt(8, ".FIT"),
  plt: startsWith("OziExplorer Track"),
  igc: textWith(/^[AH]/),
  fig: startsWith("#FIG"),
  vrml: startsWith("#VRML"),
  ...each("gv xdot", textWith(/^\s*(strict\s+)?(di)?graph\b/)),
  graphml: xml,
  svgz: startsWith("\x1f\x8b"),
  ...each("mobi azw3", holdsAt(60, "BOOKMOBI")),
  ...each("htmlz txtz pmlz ufo", zip),
  djvu: startsWith("AT&TFORM"),
  lit: startsWith("ITOLITLS"),
  lrf: startsWith("L\0R\0F\0"),
  pdb: holdsAt(60, "PNRdPPrs", "TEXtREAd"),
  rb: startsWith("\xb0\x0c\xb0\x0c"),
  tcr: startsWith("!!8-Bit!!"),
  sfd: startsWith("SplineFontDB:"),
  t42: startsWith("%!PS-TrueTypeFont"),
  svgfont: textWith(/<svg[\s>]/),
  ...each("tlz4 lz4", startsWith("\x04\x22\x4d\x18")),
  ...each("tlz lz", startsWith("LZIP")),
  taz: startsWith("\x1f\x9d"),
  lzma: startsWith("\x5d\0\0"),
  parquet: all(startsWith("PAR1"), endsWith("PAR1", 4)),
  avro: startsWith("Obj\x01"),
  sqlite: startsWith("SQLite format 3\0"),
  bson: ({ head, sizeBytes }) => head.readInt32LE(0) >= 5 && head.readInt32LE(0) <= sizeBytes,
  ...each("txt md rst tex org textile mediawiki man dokuwiki jira muse haddock adoc ms texinfo context xwiki zimwiki markua", text),
  ...each("csv tsv", encodedText),
  ...each("mp3 mp2 aac", mpegFrames),
  ...each("wav rf64", any(riff("WAVE"), all(startsWith("RF64"), holdsAt(8, "WAVE")))),
  avi: riff("AVI "),
  flac: startsWith("fLaC"),
  ...each("ogg oga opus ogv spx", ogg),
  ...each("m4a alac m4r m4b mp4 m4v mov f4v 3gp 3g2", isoMedia),
  ...each("wma wmv asf", asf),
  aiff: all(startsWith("FORM"), holdsAt(8, "AIFF", "AIFC")),
  ...each("ac3 eac3", startsWith("\x0b\x77", "\x77\x0b")),
  caf: startsWith("caff"),
  au: startsWith(".snd"),
  ...each("mka mkv webm weba", matroska),
  w64: startsWith("riff\x2e\x91\xcf\x11"),
  wv: startsWith("wvpk"),
  tta: startsWith("TTA1", "TTA2"),
  flv: startsWith("FLV\x01"),
  ...each("mpg mpeg vob", startsWith("\0\0\x01\xba", "\0\0\x01\xb3")),
  ts: transportStream(188, 0),
  ...each("mts m2ts", transportStream(192, 4)),
};

/**
 * Rejects unless the file starts and ends as its format must. Formats without a row are not checked.
 *
 * @throws FilemillError CONVERSION_FAILED.
 */
export async function checkEnds(file: ByteSource, format: string): Promise<void> {
  const check = checks[format];
  if (check !== undefined && !isSound(check, await endsOf(file))) {
    if ((check === text || check === encodedText) && !shown.test(file.head.toString("utf8"))) {
      throw new FilemillError("CONVERSION_FAILED", "The document has no text in its body.");
    }
    throw new FilemillError("CONVERSION_FAILED", `The result is not a whole ${format.toUpperCase()} file.`);
  }
}

async function endsOf({ head, sizeBytes, read }: ByteSource): Promise<Ends> {
  const start = head.subarray(0, endBytes);
  if (sizeBytes <= endBytes) return { head: start, tail: start, sizeBytes };
  const tailBytes = Math.min(sizeBytes, zipTailBytes);
  return { head: start, tail: await read(sizeBytes - tailBytes, tailBytes), sizeBytes };
}

/** A file too short for a field that a check reads is not sound. */
function isSound(check: Check, ends: Ends): boolean {
  try {
    return check(ends);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
