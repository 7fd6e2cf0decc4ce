/** Which program judges which format. A format may have several judges. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Judge } from "./judge.ts";
import { ended, linesOf, versionOf } from "./program.ts";
import { xmlComplaints } from "./xml.ts";

const words = (text: string): readonly string[] => text.split(" ");
const npm = join(import.meta.dirname, "npm/node_modules");
const epubcheck = "/usr/bin/epubcheck";
const vnu = join(npm, "vnu-jar/build/dist/vnu.jar");

/** A program that only reports an exit code, with its output lines as reasons. */
function byExitCode(program: string, args: (path: string) => readonly string[], good: readonly number[] = [0]): Judge["judge"] {
  return async (path) => {
    const { code, said } = await ended(program, ...args(path));
    if (good.includes(code)) return [];
    const lines = linesOf(said, path);
    return lines.length === 0 ? [`exit code ${code}`] : lines;
  };
}

/** A program whose output lines with a certain pattern are its reasons. */
function byLines(program: string, args: (path: string) => readonly string[], reason: RegExp): Judge["judge"] {
  return async (path) => linesOf((await ended(program, ...args(path))).said, path).filter((line) => reason.test(line));
}

async function judgeBook(path: string): Promise<readonly string[]> {
  const { said } = await ended("java", "-jar", epubcheck, "--failonwarnings", "-q", "-e", path);
  return linesOf(said, path)
    .filter((line) => /^(ERROR|FATAL)/.test(line))
    .map((line) => line.replaceAll(/FILE\/?|\(\d+,\d+\)/g, ""));
}

type Message = { readonly type: string; readonly message: string };

async function judgePage(path: string, format: string): Promise<readonly string[]> {
  const kind = format === "svg" ? ["--svg"] : format === "xhtml" ? ["--xml"] : ["--html"];
  const { said } = await ended("java", "-Xss4m", "-jar", vnu, "--errors-only", "--exit-zero-always", "--format", "json", ...kind, path);
  const { messages }: { messages: readonly Message[] } = JSON.parse(said.trim() || '{"messages":[]}');
  return [...new Set(messages.map(({ message }) => message))];
}

type Report = {
  readonly issues: { readonly messages: readonly { readonly severity: number; readonly code: string; readonly message: string }[] };
};

async function judgeModel(path: string): Promise<readonly string[]> {
  const validator = createRequire(join(npm, "x.js"))("gltf-validator");
  const report: Report = await validator.validateBytes(new Uint8Array(await readFile(path)));
  return [...new Set(report.issues.messages.filter(({ severity }) => severity === 0).map(({ code, message }) => `${code}: ${message}`))];
}

/** Its list of chunks predates cICP, which is now part of PNG. */
async function judgePng(path: string): Promise<readonly string[]> {
  const said = await byExitCode("pngcheck", (name) => ["-q", name])(path, "png");
  const reasons = said.filter((line) => !/unknown, public chunk cICP$/.test(line));
  return reasons.length < said.length && reasons.every((line) => line === "ERROR: FILE") ? [] : reasons;
}

/** Lists the failed checks; a file that matches no check is not of the format. */
async function judgeFilm(path: string): Promise<readonly string[]> {
  const { out } = await ended("mediaconch", "-mc", "-fx", path);
  const failed = [...out.matchAll(/<check icid="([^"]*)"[^>]*fail_count="[1-9]/g)].map(([, name = ""]) => name);
  return /pass_count="[1-9]/.test(out) ? failed : ["no check passed", ...failed];
}

async function versionOfModule(name: string): Promise<string | undefined> {
  return readFile(join(npm, name, "package.json"), "utf8").then(
    (text) => JSON.parse(text).version,
    () => undefined,
  );
}

/** 20914 is 2.9.14. */
async function versionOfXmllint(): Promise<string | undefined> {
  const { said } = await ended("xmllint", "--version").catch(() => ({ said: "" }));
  const [, major, minor, patch] = /version (\d)(\d\d)(\d\d)/.exec(said) ?? [];
  return major === undefined ? undefined : [major, minor, patch].map(Number).join(".");
}

const xml = "xhtml fodt fods fodp fodg uot uos uop docx2003 xlsx2003 docbook jats tei opml fb2 icml svg ttml kml gpx dae x3d gml plist";
const packages = "docx docm dotx odt ott sxw xlsx xlsm xltx ods pptx pptm ppsx potx odp odg vsdx epub 3mf kmz xps";

export const judges: readonly Judge[] = [
  {
    ...{ id: "qpdf", label: "qpdf --check", what: "structure and streams", formats: ["pdf", "pdfa"] },
    version: () => versionOf("qpdf", "--version"),
    // 3 is for warnings: what it had to repair.
    judge: byExitCode("qpdf", (path) => ["--check", path]),
  },
  {
    ...{ id: "epubcheck", label: "EPUBCheck", what: "the EPUB specification", formats: ["epub"] },
    version: () => versionOf("java", "-jar", epubcheck, "--version"),
    judge: judgeBook,
  },
  {
    ...{ id: "ots", label: "OpenType Sanitizer", what: "what browsers load", formats: words("ttf otf woff woff2") },
    version: () => versionOf("ots-sanitize", "--version"),
    judge: byExitCode("ots-sanitize", (path) => [path, "/dev/null"]),
  },
  {
    ...{ id: "vnu", label: "Nu Html Checker", what: "the HTML standard", formats: words("html xhtml svg") },
    version: () => versionOfModule("vnu-jar"),
    judge: judgePage,
  },
  {
    ...{ id: "gltf", label: "glTF Validator", what: "the glTF specification", formats: words("glb gltf") },
    version: () => versionOfModule("gltf-validator"),
    judge: judgeModel,
  },
  {
    ...{ id: "pngcheck", label: "pngcheck", what: "chunks and checksums", formats: words("png apng jng mng") },
    version: () => versionOf("pngcheck", "-h"),
    judge: judgePng,
  },
  {
    ...{ id: "jpeginfo", label: "jpeginfo", what: "markers and all of the data", formats: words("jpg") },
    version: () => versionOf("jpeginfo", "--version"),
    judge: byExitCode("jpeginfo", (path) => ["-c", path]),
  },
  {
    ...{ id: "webpinfo", label: "webpinfo", what: "chunks", formats: words("webp") },
    version: () => versionOf("webpinfo", "-version"),
    judge: byExitCode("webpinfo", (path) => ["-quiet", path]),
  },
  {
    ...{ id: "xmllint", label: "xmllint", what: "well-formed XML, also of each part of a package", formats: words(`${xml} ${packages}`) },
    version: versionOfXmllint,
    judge: xmlComplaints,
  },
  {
    ...{
      id: "7z",
      label: "7z t",
      what: "directory and checksums",
      formats: words(`zip 7z tar tgz tbz2 txz gz bz2 xz cpio ar ${packages}`),
    },
    version: () => versionOf("7z"),
    judge: byExitCode("7z", (path) => ["t", "-bd", "-p", path]),
  },
  {
    ...{ id: "flac", label: "flac -t", what: "every frame and the checksum of the sound", formats: ["flac"] },
    version: () => versionOf("flac", "--version"),
    judge: byExitCode("flac", (path) => ["-t", "-s", "-w", path]),
  },
  {
    ...{ id: "mp3val", label: "MP3val", what: "frames and tags", formats: ["mp3"] },
    version: () => versionOf("mp3val"),
    judge: byLines("mp3val", (path) => [path], /^(WARNING|ERROR)/),
  },
  {
    ...{ id: "oggz", label: "oggz-validate", what: "pages and packets", formats: words("ogg oga opus ogv spx") },
    version: () => versionOf("oggz-validate", "--version"),
    judge: byExitCode("oggz-validate", (path) => [path]),
  },
  {
    ...{ id: "mediaconch", label: "MediaConch", what: "the Matroska specification", formats: words("mkv mka webm weba mk3d") },
    version: () => versionOf("mediaconch", "--Version"),
    judge: judgeFilm,
  },
  {
    ...{ id: "sqlite3", label: "sqlite3", what: "PRAGMA integrity_check", formats: words("sqlite gpkg mbtiles") },
    version: () => versionOf("sqlite3", "--version"),
    judge: byLines("sqlite3", (path) => ["-readonly", path, "PRAGMA integrity_check"], /^(?!ok$)/),
  },
];

/** The judges of a format. */
export function judgesOf(format: string): readonly Judge[] {
  return judges.filter(({ formats }) => formats.includes(format));
}
