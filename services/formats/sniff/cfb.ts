/** Compound files ([MS-CFB]), distinguished by the streams and storages in their directory. */
import { type Content, contentOfFormat } from "./content.ts";
import type { Source } from "./source.ts";

const magic = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const endOfChain = 0xfffffffe;
const maxDirectorySectors = 64;

/** Entry names, the most specific first: a message may contain documents as attachments. */
const byEntryName: readonly (readonly [RegExp, string])[] = [
  [/^__(properties_version1\.0|nameid_version1\.0)$/, "msg"],
  [/^WordDocument$/, "doc"],
  [/^(Workbook|Book)$/, "xls"],
  [/^PowerPoint Document$/, "ppt"],
  [/^VisioDocument$/, "vsd"],
  [/^Quill$/, "pub"],
  [/^StarWriterDocument$/, "sdw"],
  [/^StarCalcDocument$/, "sdc"],
  [/^StarDrawDocument3?$/, "sdd"],
  [/^WksSSWorkBook$/, "xlr"],
  [/^MatOST$/, "wps"],
  [/^(HwpSummaryInformation|\p{Cc}HwpSummaryInformation|BodyText)$/u, "hwp5"],
  [/^PerfectOffice_MAIN$/, "wpd"],
  [/^NativeContent_MAIN$/, "qpw"],
];
const encryptedPackages = ["docx", "docm", "dotx", "xlsx", "xlsm", "xlsb", "xltx", "pptx", "pptm", "ppsx", "potx", "potm", "ppsm", "vsdx"];
const others = [
  "doc",
  "dot",
  "xls",
  "xlt",
  "ppt",
  "pps",
  "pot",
  "vsd",
  "pub",
  "wps",
  "xlr",
  "hwp5",
  "qpw",
  "wpd",
  "sda",
  "sdd",
  "sdw",
  "sdc",
  "msg",
  "wri",
];

export async function compoundContentOf(source: Source): Promise<Content | undefined> {
  if (!source.head.subarray(0, 8).equals(magic)) return undefined;
  const names = await entryNamesOf(source);
  // [MS-OFFCRYPTO]: the document is inside, and nothing outside says of which format.
  if (names.includes("EncryptedPackage")) return { format: "docx", orNamed: encryptedPackages };
  for (const [pattern, format] of byEntryName) {
    if (!names.some((name) => pattern.test(name))) continue;
    return contentOfFormat(format, format === "sdd" ? { orNamed: ["sda"] } : {});
  }
  return { format: undefined, orNamed: others };
}

async function entryNamesOf(source: Source): Promise<readonly string[]> {
  const { head } = source;
  if (head.length < 512) return [];
  const sectorBytes = 1 << Math.min(head.readUInt16LE(30), 12);
  const names: string[] = [];
  let sector = head.readUInt32LE(48);
  for (let count = 0; count < maxDirectorySectors && sector < endOfChain; count++) {
    const entries = await source.read((sector + 1) * sectorBytes, sectorBytes);
    for (let at = 0; at + 128 <= entries.length; at += 128) {
      const nameBytes = entries.readUInt16LE(at + 64);
      if (nameBytes >= 2 && nameBytes <= 64) names.push(entries.toString("utf16le", at, at + nameBytes - 2));
    }
    sector = await nextSector(source, sector, sectorBytes);
  }
  return names;
}

/** The next sector according to the allocation table. The header lists the table's first 109 sectors. */
async function nextSector(source: Source, sector: number, sectorBytes: number): Promise<number> {
  const perSector = sectorBytes / 4;
  const table = Math.floor(sector / perSector);
  if (table >= 109) return endOfChain;
  const at = (source.head.readUInt32LE(76 + table * 4) + 1) * sectorBytes + (sector % perSector) * 4;
  const next = await source.read(at, 4);
  return next.length < 4 ? endOfChain : next.readUInt32LE(0);
}
