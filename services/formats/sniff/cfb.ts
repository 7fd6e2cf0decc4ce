/** Compound files ([MS-CFB]), distinguished by the streams and storages in their directory. */
import { compoundReaderOf, isCompoundFile } from "./compound-directory.ts";
import { type Content, contentOfFormat } from "./content.ts";
import type { Source } from "./source.ts";

/** Entry names, the most specific first. They are compared without case ([MS-CFB] 2.6.4). */
const byEntryName: readonly (readonly [RegExp, string])[] = [
  [/^__(properties_version1\.0|nameid_version1\.0)$/i, "msg"],
  [/^WordDocument$/i, "doc"],
  [/^(Workbook|Book)$/i, "xls"],
  [/^PowerPoint Document$/i, "ppt"],
  [/^VisioDocument$/i, "vsd"],
  [/^Quill$/i, "pub"],
  [/^StarWriterDocument$/i, "sdw"],
  [/^StarCalcDocument$/i, "sdc"],
  [/^StarDrawDocument3?$/i, "sdd"],
  [/^WksSSWorkBook$/i, "xlr"],
  [/^MatOST$/i, "wps"],
  [/^(HwpSummaryInformation|\p{Cc}HwpSummaryInformation|BodyText)$/iu, "hwp5"],
  [/^PerfectOffice_MAIN$/i, "wpd"],
  [/^NativeContent_MAIN$/i, "qpw"],
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
  if (!isCompoundFile(source.head)) return undefined;
  const names = source.head.length < 512 ? [] : (await compoundReaderOf(source).streams()).map(({ name }) => name);
  // [MS-OFFCRYPTO]: the document is inside, and nothing outside says of which format.
  if (names.some((name) => /^EncryptedPackage$/i.test(name))) return { format: "docx", orNamed: encryptedPackages };
  for (const [pattern, format] of byEntryName) {
    if (!names.some((name) => pattern.test(name))) continue;
    return contentOfFormat(format, format === "sdd" ? { orNamed: ["sda"] } : {});
  }
  return { format: undefined, orNamed: others };
}
