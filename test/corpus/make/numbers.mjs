/** Makes typical/spreadsheet/typical.numbers with SheetJS, of the cells of typical.xlsx: node test/corpus/make/numbers.mjs */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { read, write } from "@e965/xlsx";
import template from "@e965/xlsx/dist/xlsx.zahl.mjs";

const folder = join(import.meta.dirname, "../typical/spreadsheet");
const book = read(readFileSync(join(folder, "typical.xlsx")), { cellNF: true });
writeFileSync(join(folder, "typical.numbers"), write(book, { type: "buffer", bookType: "numbers", numbers: template, compression: true }));
