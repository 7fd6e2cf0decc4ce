/** LibreOffice's names of its filters, by document family. */
import { words } from "../shared/hop-table.ts";

export type Family = "text" | "sheet" | "slides" | "drawing";

export type OfficeFormat = {
  /** Tried in order; empty if the format is only written. */
  readonly import: readonly string[];
  readonly export?: string;
  /** Settings of the export filter. */
  readonly options?: string;
};

const both = (name: string, ...older: string[]): OfficeFormat => ({ import: [name, ...older], export: name });
const reads = (...names: string[]): OfficeFormat => ({ import: names });
const writes = (name: string, options?: string): OfficeFormat => ({
  import: [],
  export: name,
  ...(options === undefined ? {} : { options }),
});

const word = "MS Word 2007 XML";
const excel = "Calc MS Excel 2007 XML";
const powerPoint = "Impress MS PowerPoint 2007 XML";
const csvFilter = "Text - txt - csv (StarCalc)";
/** Short and long side in hundredths of a millimetre. @see ISO 216, ANSI/ASME Y14.1 */
export const papers: Readonly<Record<string, readonly [short: number, long: number]>> = {
  a3: [29_700, 42_000],
  a4: [21_000, 29_700],
  a5: [14_800, 21_000],
  letter: [21_590, 27_940],
  legal: [21_590, 35_560],
  tabloid: [27_940, 43_180],
};

const pictures = (family: "writer" | "calc" | "impress" | "draw"): Record<string, OfficeFormat> => ({
  png: writes(`${family}_png_Export`),
  jpg: writes(`${family}_jpg_Export`),
  webp: writes(`${family}_webp_Export`),
});

const largest = [1_048_576, 16_384] as const;
const old = [65_536, 256] as const;

/** Maximum rows and columns of a sheet. */
export function mostOf(to: string): readonly [rows: number, columns: number] {
  return to === "xls" || to === "xlt" ? old : to === "dbf" ? [largest[0], 255] : largest;
}

/** Maximum characters of a cell. */
export const mostCharacters = 32_767;

/**
 * Which numbers the writer rounds: all or only fractions to 15 digits, and times to hundredths of a second. Text tables are not affected.
 */
export function roundsNumbers(from: string, to: string): readonly ("all" | "fractions" | "times")[] {
  if (/^(csv|tsv)$/.test(from) || /^(csv|tsv|dif|slk|dbf|xls|xlt|pdf|png|jpg|webp)$/.test(to)) return [];
  if (isExcels(to)) return ["all"];
  return to === "ods" || to === "ots" || to === "fods" ? ["fractions", "times"] : ["fractions"];
}

/** Whether days are counted as in Excel, with a nonexistent one. */
export const isExcels = (format: string) => /^(xlsx|xlsm|xltx|xlsb|xls|xlt|xlsx2003)$/.test(format);

/** Part of ISO 19005 is an option. */
export const isPdf = (format: string) => format === "pdf" || format === "pdfa";

export const isOpenSheet = (format: string) => /^(ods|ots|fods)$/.test(format);

/** Whether the results of formulas such as NOW() stay those of the file: the other writers need them computed. */
export const keepsResults = (from: string, to: string) =>
  from !== "xlsx2003" && (isExcels(from) || isOpenSheet(from)) && !/^(xls|xlt)$/.test(to);

/** Whether the writer drops tabs in multi-line or formatted cells. */
export const losesTabs = (from: string, to: string) => (isExcels(from) || isOpenSheet(from)) && /^(ods|ots|fods|html)$/.test(to);

const text: Readonly<Record<string, OfficeFormat>> = {
  docx: both(word),
  doc: both("MS Word 97", "MS Word 95", "MS WinWord 6.0"),
  odt: both("writer8"),
  rtf: both("Rich Text Format"),
  // Its export drops footnotes, text boxes and headers; Pandoc writes text from DOCX.
  txt: reads("Text (encoded)"),
  // Without this option, pictures would be separate files, which are not returned.
  html: { import: ["HTML (StarWriter)"], export: "HTML (StarWriter)", options: "EmbedImages" },
  xhtml: writes("XHTML Writer File"),
  docm: { import: ["MS Word 2007 XML VBA", word], export: "MS Word 2007 XML VBA" },
  dotx: { import: ["MS Word 2007 XML Template", word], export: "MS Word 2007 XML Template" },
  dot: { import: ["MS Word 97 Vorlage", "MS Word 97"], export: "MS Word 97 Vorlage" },
  ott: { import: ["writer8_template", "writer8"], export: "writer8_template" },
  fodt: both("OpenDocument Text Flat XML"),
  uot: writes("UOF text"),
  docx2003: both("MS Word 2003 XML"),
  wpd: reads("WordPerfect"),
  wps: reads("MS_Works"),
  wri: reads("MS_Write"),
  pages: reads("Apple Pages"),
  abw: reads("AbiWord"),
  sxw: reads("StarOffice XML (Writer)"),
  sdw: reads("StarOffice_Writer"),
  hwp: reads("writer_MIZI_Hwp_97"),
  lrf: reads("BroadBand eBook"),
  pdf: writes("writer_pdf_Export"),
  pdfa: writes("writer_pdf_Export"),
  ...pictures("writer"),
};

const sheet: Readonly<Record<string, OfficeFormat>> = {
  xlsx: both(excel),
  xls: both("MS Excel 97", "MS Excel 95", "MS Excel 5.0/95", "MS Excel 4.0"),
  ods: both("calc8"),
  xlsb: reads("Calc MS Excel 2007 Binary"),
  // Written by the worker itself.
  csv: { import: [csvFilter], export: csvFilter },
  tsv: { import: [csvFilter], export: csvFilter },
  xlsm: { import: ["Calc MS Excel 2007 VBA XML", excel], export: "Calc MS Excel 2007 VBA XML" },
  xltx: { import: ["Calc MS Excel 2007 XML Template", excel], export: "Calc MS Excel 2007 XML Template" },
  xlt: { import: ["MS Excel 97 Vorlage/Template", "MS Excel 97"], export: "MS Excel 97 Vorlage/Template" },
  ots: { import: ["calc8_template", "calc8"], export: "calc8_template" },
  fods: both("OpenDocument Spreadsheet Flat XML"),
  // Its export makes booleans false, cuts text after the first line and moves the rows of later sheets.
  uos: reads("UOF spreadsheet"),
  // Its export writes formulas that Excel rejects, a million empty rows, and other spaces; the data engine writes the values.
  xlsx2003: reads("MS Excel 2003 XML Orcus"),
  dif: both("DIF"),
  slk: both("SYLK"),
  // Read by the data engine, as exactly as the table states its values.
  dbf: writes("dBase"),
  gnumeric: reads("Gnumeric Spreadsheet"),
  wk1: reads("Lotus", "WPS_Lotus_Calc"),
  wq1: reads("WPS_QPro_Calc", "Quattro Pro 6.0"),
  qpw: reads("WPS_QPro_Calc", "Quattro Pro 6.0"),
  sxc: reads("StarOffice XML (Calc)"),
  sdc: reads("StarOffice_Spreadsheet"),
  numbers: reads("Apple Numbers"),
  html: writes("HTML (StarCalc)", "EmbedImages"),
  pdf: writes("calc_pdf_Export"),
  pdfa: writes("calc_pdf_Export"),
  ...pictures("calc"),
};

const slides: Readonly<Record<string, OfficeFormat>> = {
  pptx: both(powerPoint),
  ppt: both("MS PowerPoint 97"),
  odp: both("impress8"),
  ppsx: { import: [`${powerPoint} AutoPlay`, powerPoint], export: `${powerPoint} AutoPlay` },
  pps: { import: ["MS PowerPoint 97 AutoPlay", "MS PowerPoint 97"], export: "MS PowerPoint 97 AutoPlay" },
  potx: { import: [`${powerPoint} Template`, powerPoint], export: `${powerPoint} Template` },
  pptm: { import: [`${powerPoint} VBA`, powerPoint], export: `${powerPoint} VBA` },
  otp: { import: ["impress8_template", "impress8"], export: "impress8_template" },
  fodp: both("OpenDocument Presentation Flat XML"),
  pot: { import: ["MS PowerPoint 97 Vorlage", "MS PowerPoint 97"], export: "MS PowerPoint 97 Vorlage" },
  uop: both("UOF presentation"),
  potm: reads(`${powerPoint} Template`, `${powerPoint} VBA`, powerPoint),
  ppsm: reads(`${powerPoint} AutoPlay`, `${powerPoint} VBA`, powerPoint),
  key: reads("Apple Keynote"),
  sxi: reads("StarOffice XML (Impress)"),
  sdd: reads("StarOffice_Presentation"),
  // Written by the worker itself.
  html: writes("impress_html_Export"),
  json: writes("impress_html_Export"),
  // One slide per page, with text that can be edited line by line.
  pdf: { import: ["impress_pdf_import"], export: "impress_pdf_Export" },
  pdfa: writes("impress_pdf_Export"),
  ...pictures("impress"),
};

const drawing: Readonly<Record<string, OfficeFormat>> = {
  odg: both("draw8"),
  otg: { import: ["draw8_template", "draw8"], export: "draw8_template" },
  fodg: both("OpenDocument Drawing Flat XML"),
  ...Object.fromEntries(words("vsdx vsd vdx vsdm vstx").map((id) => [id, reads("Visio Document")])),
  pub: reads("Publisher Document"),
  emf: { import: ["EMF - MS Windows Metafile"], export: "draw_emf_Export" },
  wmf: { import: ["WMF - MS Windows Metafile"], export: "draw_wmf_Export" },
  dxf: reads("DXF - AutoCAD Interchange"),
  sxd: reads("StarOffice XML (Draw)"),
  sda: reads("StarOffice_Drawing"),
  svg: writes("draw_svg_Export"),
  eps: writes("draw_eps_Export"),
  tiff: writes("draw_tif_Export"),
  pdf: writes("draw_pdf_Export"),
  pdfa: writes("draw_pdf_Export"),
  ...pictures("draw"),
};

export const officeFormats: Readonly<Record<Family, Readonly<Record<string, OfficeFormat>>>> = { text, sheet, slides, drawing };
export const families: readonly Family[] = ["text", "sheet", "slides", "drawing"];
