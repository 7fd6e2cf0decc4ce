/** Workbooks of cells. */
import { rowsOf } from "./row.ts";

export const spreadsheetFormats = rowsOf("spreadsheet", [
  ["xlsx", "Excel workbook", "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["xls", "Excel 97-2003 workbook", "xls xlw", "application/vnd.ms-excel"],
  ["ods", "OpenDocument spreadsheet", "ods", "application/vnd.oasis.opendocument.spreadsheet"],
  ["xlsm", "Excel macro-enabled workbook", "xlsm", "application/vnd.ms-excel.sheet.macroEnabled.12"],
  ["xlsb", "Excel binary workbook", "xlsb", "application/vnd.ms-excel.sheet.binary.macroEnabled.12"],
  ["xltx", "Excel template", "xltx", "application/vnd.openxmlformats-officedocument.spreadsheetml.template"],
  ["xlt", "Excel 97-2003 template", "xlt", "application/vnd.ms-excel"],
  ["ots", "OpenDocument spreadsheet template", "ots", "application/vnd.oasis.opendocument.spreadsheet-template"],
  ["fods", "Flat OpenDocument spreadsheet", "fods", "application/vnd.oasis.opendocument.spreadsheet-flat-xml"],
  ["numbers", "Apple Numbers", "numbers", "application/vnd.apple.numbers"],
  ["dbf", "dBase table", "dbf", "application/x-dbf"],
  ["uos", "Uniform Office spreadsheet", "uos", "application/x-uof-spreadsheet"],
  ["xlsx2003", "Excel 2003 XML", "xml", "application/xml"],
  ["dif", "Data Interchange Format", "dif", "application/x-dif"],
  ["slk", "SYLK spreadsheet", "slk sylk", "application/x-sylk"],
  ["gnumeric", "Gnumeric", "gnumeric", "application/x-gnumeric"],
  ["wk1", "Lotus 1-2-3", "wk1 wk3 wk4 wks 123", "application/vnd.lotus-1-2-3"],
  ["wq1", "Quattro Pro DOS", "wq1 wq2", "application/x-quattropro"],
  ["qpw", "Quattro Pro Windows", "qpw wb1 wb2 wb3", "application/x-quattropro"],
  ["xlr", "Microsoft Works spreadsheet", "xlr", "application/vnd.ms-works"],
  ["sxc", "StarOffice 6 calc", "sxc", "application/vnd.sun.xml.calc"],
  ["sdc", "StarOffice 5 calc", "sdc", "application/vnd.stardivision.calc"],
]);
