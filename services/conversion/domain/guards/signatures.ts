/** How files of a format must start. Only for formats whose readers would otherwise guess: some tools read a text named .jpg as MVG. */
import { formatOf } from "#formats/index.ts";
import { isCompoundFile } from "#formats/sniff/compound-directory.ts";
import { damaged, mislabelled } from "./refusals.ts";

type Signature = (head: Buffer) => boolean;

const at =
  (offset: number, ...texts: string[]): Signature =>
  (head) =>
    texts.some((text) => head.toString("latin1", offset, offset + text.length) === text);
const both =
  (...parts: Signature[]): Signature =>
  (head) =>
    parts.every((part) => part(head));

export const isZip = at(0, "PK\x03\x04");
const isIsoMedia = at(4, "ftyp", "moov", "mdat", "free", "skip", "wide", "pnot");
const isMatroska = at(0, "\x1a\x45\xdf\xa3");
/** A password-protected OOXML file is a compound file around the encrypted package. */
const isOpenXml: Signature = (head) => isZip(head) || isCompoundFile(head);

const signatures: Readonly<Record<string, Signature>> = {
  png: at(0, "\x89PNG\r\n\x1a\n"),
  apng: at(0, "\x89PNG\r\n\x1a\n"),
  jpg: at(0, "\xff\xd8\xff"),
  gif: at(0, "GIF87a", "GIF89a"),
  webp: both(at(0, "RIFF"), at(8, "WEBP")),
  bmp: at(0, "BM"),
  tiff: at(0, "II*\0", "MM\0*", "II+\0", "MM\0+"),
  psd: at(0, "8BPS"),
  heic: isIsoMedia,
  avif: isIsoMedia,
  pdf: (head) => head.subarray(0, 1024).includes("%PDF-"),
  docx: isOpenXml,
  xlsx: isOpenXml,
  pptx: isOpenXml,
  odt: isZip,
  ods: isZip,
  odp: isZip,
  odg: isZip,
  epub: isZip,
  mp4: isIsoMedia,
  m4v: isIsoMedia,
  mov: isIsoMedia,
  m4a: isIsoMedia,
  mkv: isMatroska,
  webm: isMatroska,
  avi: both(at(0, "RIFF"), at(8, "AVI ")),
  wav: both(at(0, "RIFF", "RF64", "RIFX"), at(8, "WAVE")),
  ogg: at(0, "OggS"),
  opus: at(0, "OggS"),
  flac: at(0, "fLaC", "ID3"),
};

/** Playlists and session descriptions make a player fetch other files. None of them is the medium that its name claims. */
const playlist = /^(#EXTM3U|ffconcat version|v=0\r?\n|\[playlist\]|\[reference\]|<asx|<smil|<MPD)/i;
const playlistInXml = /^<(MPD|smil|asx|playlist|SmoothStreamingMedia)\b/i;

function isPlaylist(text: string): boolean {
  const start = text.trimStart();
  return playlist.test(start) || (/^<\?xml/i.test(start) && playlistInXml.test(behindComments(start.slice(start.indexOf(">") + 1))));
}

/** The text after whitespace and comments. */
function behindComments(text: string): string {
  let at = 0;
  for (;;) {
    while (/\s/.test(text.charAt(at))) at += 1;
    if (!text.startsWith("<!--", at)) return text.slice(at);
    const end = text.indexOf("-->", at + 4);
    if (end < 0) return "";
    at = end + 3;
  }
}

export function assertBegins(head: Buffer, format: string): void {
  const row = formatOf(format);
  if (row?.kind === "audio" || row?.kind === "video") {
    if (isPlaylist(head.toString("utf8", 0, 2048))) throw damaged("The file is a playlist, not a recording.");
  }
  const isRight = signatures[format];
  if (isRight !== undefined && !isRight(head)) throw mislabelled(`a ${row?.label ?? format} file`);
}
