/** The most common conversions: proven first on a machine with versions that have no proof. */

const everyday: Readonly<Record<string, string>> = {
  docx: "pdf odt txt html md",
  doc: "pdf docx odt txt",
  odt: "pdf docx txt html",
  rtf: "pdf docx txt",
  txt: "pdf docx html",
  md: "html pdf docx epub",
  html: "pdf docx md txt",
  pdf: "png jpg txt docx html md",
  epub: "pdf txt html docx",
  xlsx: "pdf csv ods json",
  xls: "xlsx csv pdf",
  ods: "xlsx csv pdf",
  csv: "xlsx json ods",
  json: "csv yaml xml",
  pptx: "pdf odp png",
  ppt: "pdf pptx",
  odp: "pdf pptx",
  jpg: "png webp pdf avif",
  png: "jpg webp pdf ico avif gif",
  heic: "jpg png pdf",
  webp: "jpg png",
  gif: "mp4 png webp",
  tiff: "jpg png pdf",
  svg: "png pdf jpg",
  avif: "jpg png",
  mp4: "mp3 gif webm mov mkv",
  mov: "mp4 gif mp3",
  mkv: "mp4 mp3",
  webm: "mp4 mp3",
  avi: "mp4",
  mp3: "wav ogg m4a",
  wav: "mp3 flac m4a ogg",
  m4a: "mp3 wav",
  flac: "mp3 wav",
  ogg: "mp3 wav",
  zip: "7z tar tgz",
  rar: "zip",
  "7z": "zip",
  srt: "vtt",
  ttf: "woff2 otf",
  eml: "pdf txt html",
};

/** Every format that these conversions read or write. */
export function everydayFormats(): readonly string[] {
  return [...new Set(Object.entries(everyday).flatMap(([from, targets]) => [from, ...targets.split(" ")]))];
}

type Pair = { readonly from: string; readonly to: string };

/** The everyday conversions, and the others. */
export function everydayFirst<T extends Pair>(pairs: readonly T[]): readonly (readonly T[])[] {
  const isEveryday = ({ from, to }: Pair): boolean => everyday[from]?.split(" ").includes(to) === true;
  return [pairs.filter(isEveryday), pairs.filter((pair) => !isEveryday(pair))];
}
