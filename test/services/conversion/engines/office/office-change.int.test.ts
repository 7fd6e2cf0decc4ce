/** Requested changes to an office document are made, and all other parts keep their bytes. */
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { OptionValues } from "#services/conversion/domain/engine.ts";
import { officeChangeEngine } from "#services/conversion/engines/office/office-change.ts";
import { docx, odf, paragraph, relation, xml } from "#test/attacks/office-files.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import { ssimOf } from "#test/prove/readers/likeness.ts";
import { textFrom } from "#test/prove/readers/program.ts";
import { samplesOf } from "#test/prove/samples.ts";

testEngine(officeChangeEngine, {
  async sample(format, folder) {
    const path = join(folder, `typical.${format}`);
    await copyFile(samplesOf(format)[0]?.path ?? "", path);
    return path;
  },
});

/** Name and content of each part, in order. */
async function partsOf(path: string): Promise<ReadonlyMap<string, Buffer>> {
  const read =
    "import sys, zipfile, json\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint(json.dumps({n: z.read(n).hex() for n in z.namelist()}))";
  const said: Record<string, string> = JSON.parse(await textFrom("/usr/bin/python3", "-I", "-c", read, path));
  return new Map(Object.entries(said).map(([name, hex]) => [name, Buffer.from(hex, "hex")]));
}

/** An image like a photo, which PNG compresses badly. */
async function photo(width: number, height: number) {
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < pixels.length; at++) {
    const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)];
    pixels[at] = 128 + 90 * Math.sin(x / 37 + (at % 3)) * Math.cos(y / 53) + ((at * 7919) % 23);
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

const picture = (id: string, crop = "", mm = 60) =>
  `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="${mm * 36_000}" cy="${mm * 24_000}"/><wp:docPr id="1" name="p"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="0" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="${id}"/>${crop}<a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="${mm * 36_000}" cy="${mm * 24_000}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
const half = '<a:srcRect l="25000" r="25000" t="25000" b="25000"/>';

describe("an office document", () => {
  const bench = useBench(officeChangeEngine);

  async function changed(content: Buffer, format: string, options: OptionValues = {}) {
    const path = await bench.given(content, format);
    const result = await bench.convert(path, format, format, options);
    return { ...result, before: await partsOf(path).catch(() => new Map<string, Buffer>()), after: await partsOf(result.path) };
  }

  it("gets its pictures downsampled to their displayed size, and nothing else changed", async () => {
    const image = await photo(1200, 800);
    const [jpeg, png] = [
      await image
        .clone()
        .jpeg({ quality: 95 })
        .withExif({ IFD0: { Artist: "Quokka" } })
        .toBuffer(),
      await image.clone().png().toBuffer(),
    ];
    const links = ["a.jpg", "b.png", "c.jpg"].map((name, at) => relation(`rId${at}`, "image", `media/${name}`)).join("");
    const source = docx(paragraph("Quokka") + picture("rId0") + picture("rId1") + picture("rId2", half), {
      links,
      extra: [
        { name: "word/media/a.jpg", content: jpeg },
        { name: "word/media/b.png", content: png },
        { name: "word/media/c.jpg", content: jpeg },
      ],
    });
    const { after, before, path } = await changed(source, "docx", { optimise: "ebook" });
    expect((await readFile(path)).length).toBeLessThan(source.length / 5);
    // 60 mm at 150 dpi; twice that if half of it is shown.
    expect(await sharp(after.get("word/media/a.jpg")).metadata()).toMatchObject({ format: "jpeg", width: 354, height: 236 });
    expect(await sharp(after.get("word/media/c.jpg")).metadata()).toMatchObject({ width: 709 });
    expect(await sharp(after.get("word/media/b-small.jpeg")).metadata()).toMatchObject({ format: "jpeg", width: 354 });
    expect(after.has("word/media/b.png")).toBe(false);
    expect(String(after.get("word/_rels/document.xml.rels"))).toContain('Target="media/b-small.jpeg"');
    expect(String(after.get("[Content_Types].xml"))).toContain('<Default Extension="jpeg" ContentType="image/jpeg"/>');
    for (const name of ["word/document.xml", "word/settings.xml", "_rels/.rels"]) expect(after.get(name)).toEqual(before.get(name));
    const seen = async (bytes: Buffer | undefined) => await sharp(bytes).resize(354, 236, { fit: "fill" }).removeAlpha().raw().toBuffer();
    const likeness = ssimOf(await seen(jpeg), await seen(after.get("word/media/a.jpg")), 354, 236);
    expect(likeness).toBeGreaterThan(0.8);
  });

  it("gets downsampled pictures renamed in the content and manifest of OpenDocument", async () => {
    const png = await (await photo(900, 600)).png().toBuffer();
    const frame = (href: string) =>
      `<text:p><draw:frame svg:width="6cm" svg:height="4cm" text:anchor-type="as-char"><draw:image xlink:href="${href}" xlink:type="simple"/></draw:frame></text:p>`;
    const listed = '<manifest:file-entry manifest:full-path="Pictures/a.png" manifest:media-type="image/png"/>';
    const source = odf("text", frame("Pictures/a.png"), { manifest: listed, extra: [{ name: "Pictures/a.png", content: png }] });
    const { after } = await changed(source, "odt", { optimise: "screen" });
    expect(await sharp(after.get("Pictures/a-small.jpeg")).metadata()).toMatchObject({ format: "jpeg", width: 170 });
    expect(String(after.get("content.xml"))).toContain('xlink:href="Pictures/a-small.jpeg"');
    expect(String(after.get("META-INF/manifest.xml"))).toMatch(/full-path="Pictures\/a-small.jpeg" manifest:media-type="image\/jpeg"/);
    expect([...after.keys()][0]).toBe("mimetype");
  });

  it("loses its comments and every reference to them", async () => {
    const mark =
      '<w:commentRangeStart w:id="0"/><w:r><w:t>Quokka</w:t></w:r><w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r>';
    const comments = `${xml}<w:comments xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:comment w:id="0" w:author="Numbat"><w:p><w:r><w:t>zebra</w:t></w:r></w:p></w:comment></w:comments>`;
    const source = docx(`<w:p>${mark}</w:p>`, {
      links: relation("rIdC", "comments", "comments.xml"),
      extra: [{ name: "word/comments.xml", content: comments }],
    });
    const { after } = await changed(source, "docx", { comments: "strip" });
    expect(after.has("word/comments.xml")).toBe(false);
    expect(String(after.get("word/_rels/document.xml.rels"))).not.toContain("comments");
    expect(String(after.get("word/document.xml"))).toMatch(/<w:p><w:r><w:t>Quokka<\/w:t><\/w:r><w:r><\/w:r><\/w:p>/);

    const annotated =
      '<text:p>Quokka<office:annotation office:name="1"><dc:creator xmlns:dc="http://purl.org/dc/elements/1.1/">Numbat</dc:creator><text:p>zebra</text:p></office:annotation> lemur<office:annotation-end office:name="1"/></text:p>';
    const text = await changed(odf("text", annotated), "odt", { comments: "strip" });
    expect(String(text.after.get("content.xml"))).toContain("<text:p>Quokka lemur</text:p>");
    const named = await changed(odf("text", annotated), "odt", { metadata: "strip" });
    expect(String(named.after.get("content.xml"))).toMatch(/>Author<\/dc:creator><text:p>zebra</);
  });

  it("loses the comments of a sheet with their drawings", async () => {
    const path = join(bench.folder, "noted.xlsx");
    const write =
      "import sys, openpyxl\nfrom openpyxl.comments import Comment\nb = openpyxl.Workbook()\nb.active['A1'] = 1234567\nb.active['A1'].comment = Comment('zebra', 'Numbat')\nb.properties.creator = 'Numbat'\nb.save(sys.argv[1])";
    await textFrom("/usr/bin/python3", "-I", "-c", write, path);
    const read =
      "import sys, openpyxl\nc = openpyxl.load_workbook(sys.argv[1]).active['A1']\nprint(c.value, c.comment and c.comment.author)";
    const { after, path: clean } = await changed(await readFile(path), "xlsx", { comments: "strip", metadata: "strip" });
    expect(await textFrom("/usr/bin/python3", "-I", "-c", read, path)).toContain("1234567 Numbat");
    expect(await textFrom("/usr/bin/python3", "-I", "-c", read, clean)).toContain("1234567 None");
    expect([...after.keys()].filter((name) => /comment|drawing|docProps/i.test(name))).toEqual([]);
    expect(String(after.get("xl/worksheets/sheet1.xml"))).not.toContain("legacyDrawing");
    const kept = await changed(await readFile(path), "xlsx", { metadata: "strip" });
    expect(await textFrom("/usr/bin/python3", "-I", "-c", read, kept.path)).toContain("1234567 Author");
  });

  it("loses all personal names when metadata is stripped, but not text that looks like an attribute", async () => {
    const text = 'say w:author="Quokka" here';
    const inserted = `<w:p><w:ins w:id="1" w:author="Numbat" w:date="2026-01-01T00:00:00Z"><w:r><w:t>${text}</w:t></w:r></w:ins></w:p>`;
    const jpeg = await (await photo(64, 48))
      .jpeg()
      .withExif({ IFD0: { Artist: "Numbat" } })
      .toBuffer();
    const core = `${xml}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Numbat</dc:creator></cp:coreProperties>`;
    const rels = `${xml}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relation("rId1", "officeDocument", "word/document.xml")}<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`;
    const source = docx(inserted + picture("rId9"), {
      links: relation("rId9", "image", "media/a.jpg"),
      extra: [
        { name: "word/media/a.jpg", content: jpeg },
        { name: "docProps/core.xml", content: core },
        { name: "_rels/.rels", content: rels },
      ],
    });
    const { after } = await changed(source, "docx", { metadata: "strip" });
    for (const content of after.values()) expect(content.toString("latin1")).not.toContain("Numbat");
    expect(String(after.get("word/document.xml"))).toContain(`<w:ins w:id="1" w:author="Author"><w:r><w:t>${text}</w:t>`);
    const pixels = async (bytes: Buffer | undefined) => await sharp(bytes).raw().toBuffer();
    expect(await pixels(after.get("word/media/a.jpg"))).toEqual(await pixels(jpeg));
  });

  it("is repaired if a part is truncated, with a note that names the part", async () => {
    const whole = docx(paragraph("Quokka") + paragraph("zebra"));
    const cut = docx(paragraph("Quokka").replace("</w:p>", ""));
    const { after, notes } = await changed(cut, "docx");
    expect(notes.get("INPUT_DAMAGED")).toContain("word/document.xml");
    expect(String(after.get("word/document.xml"))).toMatch(/<w:t>Quokka<\/w:t><\/w:r><\/w:p>/);
    const ends = whole.subarray(0, whole.lastIndexOf("PK\x01\x02", undefined, "latin1"));
    const headless = await changed(ends, "docx");
    expect(headless.notes.get("INPUT_DAMAGED")).toContain("truncated");
    expect(String(headless.after.get("word/document.xml"))).toContain("zebra");
  });

  it("is returned unchanged if nothing is gained, unless it was to be cleaned", async () => {
    const once = await changed(docx(paragraph("Quokka")), "docx");
    const again = await changed(await readFile(once.path), "docx", { optimise: "screen" });
    expect([...again.notes.keys()]).toEqual(["SOURCE_KEPT"]);
    expect((await readFile(again.path)).equals(await readFile(once.path))).toBe(true);
    expect([...(await changed(await readFile(once.path), "docx", { comments: "strip" })).notes.keys()]).toEqual([]);
  });

  it("is rejected if no part declares its type", async () => {
    await expect(changed(zipFile([{ name: "a.txt", content: "Quokka" }]), "docx")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});
