/** Addresses of links in text documents, which LibreOffice writes without their escapes. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { expect, it } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { useBench } from "#test/contract/engine.ts";

const office = useBench(libreofficeEngine);

async function converted(to: string, ...addresses: readonly string[]) {
  const names = ["office", "text"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ");
  const links = addresses.map((address) => `<text:p><text:a xlink:href="${address}">A</text:a></text:p>`).join("");
  const path = join(office.folder, "links.fodt");
  await writeFile(
    path,
    `<?xml version="1.0"?><office:document ${names} xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>${links}</office:text></office:body></office:document>`,
  );
  const made = await office.convert(path, "fodt", to);
  return { made: await readFile(made.path), note: made.notes.get("TEXT_LEFT_OUT") };
}

const addresses = ["https://x.org/?a=%22q%22&amp;b=%20", "https://x.org/%40me", "mailto:a%40b@x.org", "../up%20x.pdf"];
const targetsIn = (file: Buffer) =>
  [...strFromU8(unzipSync(file)["word/_rels/document.xml.rels"] ?? new Uint8Array()).matchAll(/Target="([^"]*)" TargetMode/g)].map(
    ([, target]) => target,
  );

it("keep their escapes in Word documents", async () => {
  const { made, note } = await converted("docx", ...addresses);
  expect([targetsIn(made), note]).toEqual([addresses, undefined]);
});

it("are named where the writer does not tell which address it was, or escapes are lost", async () => {
  const same = ["https://x.org/%40", "https://x.org/@"];
  const message = "Link addresses lost escapes such as %22 or %40: https://x.org/%40.";
  for (const to of ["docx", "pdf", "doc"]) expect((await converted(to, ...same)).note).toBe(message);
  expect((await converted("docx", "https://x.org/%22#a")).note).toBe(message.replaceAll("x.org/%40", "x.org/%22#a"));
  expect((await converted("pdf", "https://x.org/%22")).note).toBeUndefined();
});

it.each([
  ["rtf", /HYPERLINK "([^"]*)"/g],
  ["html", /href="([^"]*)"/g],
] as const)("to files beside the document and above its folder stay relative in %s", async (to, link) => {
  const given = ["other.docx#a", "../up.pdf", "../../../far/up.pdf", "https://x.org/"];
  const { made } = await converted(to, ...given);
  expect([...made.toString("latin1").matchAll(link)].map(([, target]) => target)).toEqual(given);
});

it("keeps links and tags in PDF/A", async () => {
  const file = (await converted("pdfa", "https://x.org/page")).made.toString("latin1");
  expect(file).toMatch(/pdfaid:part>2</);
  expect(file).toContain("/URI(https://x.org/page)");
  expect(file).toContain("/StructTreeRoot");
});
