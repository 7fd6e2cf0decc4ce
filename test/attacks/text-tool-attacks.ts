/** Classes FO and SU: fonts and subtitles. */
import { globSync, readFileSync } from "node:fs";
import { brotliCompressSync, deflateSync } from "node:zlib";
import { tarFile } from "#test/harness/tar-file.ts";
import { type Attack, attackTo, early, from } from "./attack.ts";
import { noise } from "./picture-files.ts";

const attack = attackTo(["pdf"]);

/** A font from its table directory. @see OpenType 1.9, Font file */
function typeface(tables: readonly (readonly [name: string, offset: number, length: number])[], count = tables.length): Buffer {
  const head = Buffer.alloc(12 + tables.length * 16);
  head.writeUInt32BE(0x0001_0000);
  head.writeUInt16BE(count, 4);
  for (const [index, [name, offset, length]] of tables.entries()) {
    head.write(name, 12 + index * 16, "latin1");
    head.writeUInt32BE(offset, 20 + index * 16);
    head.writeUInt32BE(length, 24 + index * 16);
  }
  return noise(head);
}

/** The tables required to open a font, all with the same noise. */
const needed = ["OS/2", "cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "name", "post"];

function woff(signature: string, tables: number, packed: Buffer, originalBytes: number): Buffer {
  const head = Buffer.alloc(44 + 20);
  head.write(`${signature}\0\x01\0\0`, 0, "latin1");
  head.writeUInt32BE(head.length + packed.length, 8);
  head.writeUInt16BE(tables, 12);
  head.writeUInt32BE(originalBytes, 16);
  head.write("glyf", 44, "latin1");
  head.writeUInt32BE(64, 48);
  head.writeUInt32BE(packed.length, 52);
  head.writeUInt32BE(originalBytes, 56);
  return Buffer.concat([head, packed]);
}

const [whole = ""] = globSync("/usr/share/fonts/*/liberation*/LiberationMono-Regular.ttf");

/** A font with one of its tables replaced. */
function withTable(font: Buffer, name: string, content: Buffer): Buffer {
  const made = Buffer.concat([font, Buffer.alloc(-font.length & 3), content]);
  for (let entry = 12; entry < 12 + font.readUInt16BE(4) * 16; entry += 16) {
    if (font.toString("latin1", entry, entry + 4) !== name) continue;
    made.writeUInt32BE(made.length - content.length, entry + 8);
    made.writeUInt32BE(content.length, entry + 12);
  }
  return made;
}

/** A character map with a single group, covering all 32-bit values. */
function allCharacters(): Buffer {
  const table = Buffer.alloc(12 + 28);
  for (const [at, value] of [
    [2, 1],
    [4, 3],
    [6, 10],
    [12, 12],
  ] as const)
    table.writeUInt16BE(value, at);
  for (const [at, value] of [
    [8, 12],
    [16, 28],
    [24, 1],
    [32, 0xffff_ffff],
    [36, 1],
  ] as const)
    table.writeUInt32BE(value, at);
  return table;
}

const manyTables = () => {
  const tables = needed.map((name) => [name, 100, 900] as const);
  return typeface(tables, 0xffff);
};
const zeros = Buffer.alloc(100_000_000);
const fonts: readonly Attack[] = [
  attack("fontforge", "FO1-tables", "a typeface of 65,535 tables", "a.ttf", manyTables, "is bounded", {
    to: ["pfb", "ufo"],
    ...from("ttf"),
  }),
  attack(
    "fontforge",
    "FO1-lengths",
    "a typeface whose tables are four gigabytes each",
    "a.ttf",
    () => typeface(needed.map((name) => [name, 0x7fff_fff0, 0xffff_fff0])),
    "is bounded",
    { to: ["pfb"], ...from("ttf") },
  ),
  attack(
    "fontforge",
    "FO1-noise",
    "a typeface whose tables are noise that overlaps",
    "a.ttf",
    () => typeface(needed.map((name) => [name, 200, 3000])),
    "is bounded",
    { to: ["pfa", "pfb"], ...from("ttf") },
  ),
  attack(
    "fontforge",
    "FO2-project",
    "a project of the font editor with a program in it, named .ttf",
    "a.ttf",
    ({ outDir }) =>
      `SplineFontDB: 3.2\nFontName: a\nFullName: a\nFamilyName: a\nWeight: Book\nAscent: 800\nDescent: 200\nPickledData: "cos\\n+system\\n+(S'touch ${outDir}/pickled'\\n+tR."\nBeginChars: 256 0\nEndChars\nEndSplineFont\n`,
    "is bounded",
    { to: ["pfb"], ...from("ttf") },
  ),
  attack(
    "fontforge",
    "FO2-members",
    "an archive named .ttf with commands for names (CVE-2024-25081)",
    "a.ttf",
    ({ outDir }) => tarFile([{ name: `$(touch ${outDir}/named);\`touch ${outDir}/ticked\`.ttf`, content: "x" }]),
    "is bounded",
    { to: ["pfb"], ...from("ttf") },
  ),
  attack(
    "fontforge",
    "FO2-program",
    "a Type 1 typeface that is a program",
    "a.pfa",
    ({ secretFile, outDir }) =>
      `%!PS-AdobeFont-1.0: a\n/FontName (${secretFile}) run def\n(${outDir}/pfa) (w) file (x) writestring\n/FontInfo 9 dict dup begin /Notice (${secretFile}) (r) file 99 string readline pop def end\ncurrentfile eexec\n${"0".repeat(512)}\ncleartomark\n`,
    "is bounded",
    { to: ["ttf"], ...from("pfa") },
  ),
  attack(
    "fontforge",
    "FO3-woff",
    "a WOFF table of a hundred megabytes in a hundred kilobytes",
    "a.woff",
    () => woff("wOFF\0\x01\0\0".slice(0, 4), 1, deflateSync(zeros), 100_000_000),
    "is bounded",
    { to: ["pfb"], ...from("woff") },
  ),
  attack(
    "fontforge",
    "FO3-woff2",
    "a WOFF2 that says four gigabytes",
    "a.woff2",
    () => woff("wOF2", 0xffff, brotliCompressSync(Buffer.alloc(1_000_000)), 0xffff_ffff),
    "is bounded",
    { to: ["pfb"], ...from("woff2") },
  ),
  attack(
    "fonttools",
    "FO4-lengths",
    "a typeface whose tables are four gigabytes each, of which three letters are wanted",
    "a.ttf",
    () => typeface(needed.map((name) => [name, 0x7fff_fff0, 0xffff_fff0])),
    "INVALID_INPUT",
    { to: ["ttf"], query: "from=ttf&text=abc" },
  ),
  attack(
    "fonttools",
    "FO4-characters",
    "a typeface with letters for four billion characters, of which three are wanted",
    "a.ttf",
    () => withTable(readFileSync(whole), "cmap", allCharacters()),
    "is bounded",
    { to: ["ttf"], query: "from=ttf&text=abc" },
  ),
  attack(
    "fonttools",
    "FO4-packed",
    "a WOFF table of a hundred megabytes in a hundred kilobytes, of which three letters are wanted",
    "a.woff",
    () => woff("wOFF", 1, deflateSync(zeros), 100_000_000),
    "is bounded",
    { to: ["woff"], query: "from=woff&text=abc" },
  ),
  attack(
    "fonttools",
    "FO4-tables",
    "a typeface of 65,535 tables, whose outlines are wanted in another way",
    "a.ttf",
    manyTables,
    "is bounded",
    { to: ["otf", "woff2"], ...from("ttf") },
  ),
];

const cue = (text: string) => `1\n00:00:00,000 --> 00:00:01,000\n${text}\n\n`;
const subtitles: readonly Attack[] = [
  attack("subtitle", "SU1-many", "400,000 subtitles", "a.srt", () => cue("a").repeat(400_000), "is bounded", { to: ["vtt", "ttml"] }),
  attack(
    "subtitle",
    "SU1-times",
    "a subtitle after 10³⁰ hours",
    "a.srt",
    () => `1\n${"9".repeat(30)}:99:99,999 --> ${"9".repeat(40)}:00:00,000\na\n`,
    "is bounded",
    { to: ["vtt", "sub"] },
  ),
  attack("subtitle", "SU2-tags", "a million tags that nobody closes", "a.srt", () => cue("<b>".repeat(1_000_000)), "is bounded", {
    to: ["vtt", "ass", "ttml"],
  }),
  attack(
    "subtitle",
    "SU2-braces",
    "a million braces that nobody closes",
    "a.ass",
    () =>
      `[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Layer, Start, End, Style, Text\nDialogue: 0,0:00:00.00,0:00:01.00,Default,${"{\\".repeat(1_000_000)}a\n`,
    "is bounded",
    { to: ["srt"] },
  ),
  attack(
    "subtitle",
    "SU2-entities",
    "TTML with entities that expand to a billion",
    "a.ttml",
    () =>
      `<?xml version="1.0"?><!DOCTYPE tt [${Array.from({ length: 10 }, (_, level) => `<!ENTITY l${level} "${level === 0 ? "lol" : `&l${level - 1};`.repeat(10)}">`).join("")}]><tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="0s" end="1s">&l9;</p></div></body></tt>`,
    "INPUT_TOO_COMPLEX",
    { to: ["srt"], ...from("ttml"), ...early },
  ),
  attack(
    "subtitle",
    "SU2-external",
    "TTML with an entity that is a host's file",
    "a.ttml",
    ({ secretFile }) =>
      `<?xml version="1.0"?><!DOCTYPE tt [<!ENTITY x SYSTEM "file://${secretFile}">]><tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="0s" end="1s">&x;</p></div></body></tt>`,
    "INVALID_INPUT",
    { to: ["srt"], ...from("ttml"), ...early },
  ),
  attack(
    "subtitle",
    "SU2-depth",
    "TTML elements inside each other, 200,000 deep",
    "a.ttml",
    () => `<tt xmlns="http://www.w3.org/ns/ttml"><body>${"<div>".repeat(200_000)}${"</div>".repeat(200_000)}</body></tt>`,
    "is bounded",
    { to: ["srt"], ...from("ttml") },
  ),
  attack(
    "subtitle",
    "SU2-page",
    "SAMI with scripts and links, which come out as text at most",
    "a.smi",
    ({ url }) =>
      `<SAMI><HEAD><SCRIPT src="${url}/a.js"></SCRIPT></HEAD><BODY><SYNC Start=0><P><IMG src="${url}/smi.png" onerror="x()">a<SYNC Start=1000><P>&nbsp;</BODY></SAMI>`,
    "converts",
    { to: ["srt", "vtt"] },
  ),
];

export const textToolAttacks: readonly Attack[] = [...fonts, ...subtitles];
