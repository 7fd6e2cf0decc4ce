/** PDF files whose every byte a test knows. */

const helvetica = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

/** A handwritten PDF: one line of Helvetica or another font per page, with a correct cross-reference table. */
export function pdfOf(lines: readonly string[], box = "0 0 200 100", pagesMore = "", font = helvetica): Buffer {
  const kids = lines.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${lines.length} /MediaBox [${box}] ${pagesMore}>>`,
    font,
    ...lines.flatMap((line, index) => {
      const content = `BT /F 12 Tf 20 50 Td (${line}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /Resources << /Font << /F 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  return Buffer.from(
    `${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`,
  );
}

/** A page with rows of unruled cells; a row with one cell is a line of text between two tables. */
export function tablePdf(rows: readonly (readonly string[])[]): Buffer {
  const shown = rows.flatMap((row, index) => row.map((text, place) => `1 0 0 1 ${20 + place * 100} ${180 - index * 15} Tm (${text}) Tj`));
  // Closes the line that each page shows, and opens another.
  return pdfOf([`) Tj ${shown.join(" ")} (`], "0 0 300 200");
}

/** A font that numbers its glyphs and does not say which characters they are. */
export const numberedFont =
  "<< /Type /Font /Subtype /Type0 /BaseFont /Arial /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Arial /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor /FontName /Arial /Flags 32 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >> >>] >>";
