/** A PDF that shows a picture of words, made by ImageMagick and MuPDF. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { pdfOf } from "#test/services/conversion/engines/pdf/pdf-by-hand.ts";

const run = promisify(execFile);
const words = "Die Übergröße der Straßenbäume\nist für müde Gärtner schön,\ndie über grüne Hügel gehen.";

export async function scannedPdf(path: string, folder: string): Promise<void> {
  const picture = join(folder, "scanned-words.png");
  const look = "-background white -fill black -pointsize 40".split(" ");
  await run("convert-im6.q16", [...look, `label:${words}`, "-bordercolor", "white", "-border", "60", picture]);
  await run("mutool", ["convert", "-o", path, picture]);
}

/** The same after a page of text. */
export async function halfScannedPdf(path: string, folder: string): Promise<void> {
  const [text, scan] = [join(folder, "half-text.pdf"), join(folder, "half-scan.pdf")];
  await writeFile(text, pdfOf(["first   aaa"]));
  await scannedPdf(scan, folder);
  await run("qpdf", ["--empty", "--pages", text, scan, "--", path]);
}
