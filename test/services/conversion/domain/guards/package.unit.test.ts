import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readEntryHead, readZipDirectory } from "#services/conversion/domain/guards/zip-directory.ts";
import { docxFile, zipFile } from "#test/harness/zip-file.ts";
import { refusalOf, sourceOf } from "./refused.ts";

/** Incompressible bytes, the same in each run. */
const anyBytes = (length: number): Buffer => createHash("shake256", { outputLength: length }).update("quokka").digest();

const paragraph = "<w:p><w:r><w:t>x</w:t></w:r></w:p>";
const epub = (body: string, extra: Parameters<typeof zipFile>[0] = []) =>
  zipFile([
    { name: "mimetype", content: "application/epub+zip" },
    { name: "META-INF/container.xml", content: "<container/>" },
    { name: "a.xhtml", content: body },
    ...extra,
  ]);
const odt = (manifest: string) =>
  zipFile([
    { name: "mimetype", content: "application/vnd.oasis.opendocument.text" },
    { name: "META-INF/manifest.xml", content: manifest },
    { name: "content.xml", content: "<office:document-content/>" },
  ]);

describe("the ZIP directory", () => {
  it("is read as written, even behind prefixed bytes", async () => {
    const part = fc.record({ name: fc.stringMatching(/^[a-z]{1,12}\.[a-z]{1,4}$/), content: fc.string({ maxLength: 500 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 20 }), fc.uint8Array({ maxLength: 100 }), async (parts, prefix) => {
        const source = sourceOf(zipFile(parts, Buffer.from(prefix)));
        const entries = await readZipDirectory(source);
        expect(entries.map(({ name, sizeBytes }) => ({ name, sizeBytes }))).toEqual(
          parts.map(({ name, content }) => ({ name, sizeBytes: Buffer.byteLength(content) })),
        );
        const heads = await Promise.all(entries.map((entry) => readEntryHead(source, entry, 4096)));
        expect(heads.map(String)).toEqual(parts.map(({ content }) => content));
      }),
      { numRuns: 100 },
    );
  });

  it("never makes the reader fail other than by rejecting, however broken", async () => {
    const whole = docxFile(paragraph);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 6 }),
        fc.nat(whole.length),
        async (edits, cut) => {
          const bytes = Buffer.from(whole);
          for (const [at, value] of edits) bytes[at] = value;
          await expect(refusalOf(bytes.subarray(0, Math.max(1, cut)), "docx")).resolves.toMatch(/^[a-zA-Z_]+$/);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("packages", () => {
  it("that are documents are accepted", async () => {
    expect(await refusalOf(docxFile(paragraph), "docx")).toBe("accepted");
    expect(await refusalOf(odt("<manifest:manifest/>"), "odt")).toBe("accepted");
    expect(await refusalOf(epub('<!DOCTYPE html [<!ENTITY nbsp "&#160;">]><html/>'), "epub")).toBe("accepted");
  });

  it("that are truncated, empty or something else are invalid", async () => {
    const whole = docxFile(paragraph);
    expect(await refusalOf(whole.subarray(0, whole.length / 2), "docx")).toBe("INVALID_INPUT");
    expect(await refusalOf(Buffer.alloc(0), "docx")).toBe("INVALID_INPUT");
    expect(await refusalOf("not a package", "docx")).toBe("INVALID_INPUT");
  });

  it("that expand a hundredfold to a large size are bombs", async () => {
    const bomb = docxFile(paragraph, { extra: [{ name: "word/media/a.xml", content: Buffer.alloc(150_000_000) }] });
    expect(await refusalOf(bomb, "docx")).toBe("INPUT_TOO_COMPLEX");
    const stated = docxFile(paragraph, { extra: [{ name: "a.bin", content: "x", statedBytes: 3_000_000_000 }] });
    expect(await refusalOf(stated, "docx")).toBe("INPUT_TOO_COMPLEX");
  });

  it("with too many or overlapping parts are bombs", async () => {
    const many = Array.from({ length: 50_001 }, (_, index) => ({ name: `${index}`, content: "", overlaps: index > 0 }));
    expect(await refusalOf(zipFile(many), "zip")).toBe("INPUT_TOO_COMPLEX");
    const overlapping = docxFile(paragraph, { extra: [{ name: "again", content: "", overlaps: true }] });
    expect(await refusalOf(overlapping, "docx")).toBe("INPUT_TOO_COMPLEX");
  });

  it("with names that leave their folder are rejected", async () => {
    for (const name of ["../x", "a/../../x", "/etc/passwd", "C:\\x", "..\\x"]) {
      expect(await refusalOf(zipFile([{ name, content: "x" }]), "zip")).toBe("INVALID_INPUT");
    }
    expect(await refusalOf(zipFile([{ name: "a..b/c...txt", content: "x" }]), "zip")).toBe("accepted");
  });

  it("with encrypted parts require a password", async () => {
    expect(await refusalOf(zipFile([{ name: "a", content: "x", isEncrypted: true }]), "zip")).toBe("PASSWORD_REQUIRED");
    expect(await refusalOf(odt("<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>"), "odt")).toBe("PASSWORD_REQUIRED");
    const method = (algorithm: string) => `<EncryptedData><EncryptionMethod Algorithm="${algorithm}"/></EncryptedData>`;
    const locked = (algorithm: string) => epub("<html/>", [{ name: "META-INF/encryption.xml", content: method(algorithm) }]);
    expect(await refusalOf(locked("http://www.w3.org/2001/04/xmlenc#aes128-cbc"), "epub")).toBe("PASSWORD_REQUIRED");
    expect(await refusalOf(locked("http://www.idpf.org/2008/embedding"), "epub")).toBe("accepted");
  });

  it("with expanding or external entities are rejected", async () => {
    const nested = '<!DOCTYPE d [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]>';
    const outside = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]>';
    expect(await refusalOf(docxFile("&b;", { before: nested }), "docx")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(docxFile("&x;", { before: outside }), "docx")).toBe("INVALID_INPUT");
    expect(await refusalOf(epub(`${outside}<html>&x;</html>`), "epub")).toBe("INVALID_INPUT");
  });

  it("with entities hidden in a late part or behind a long prefix are rejected", async () => {
    const lol = '<!DOCTYPE d [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]>';
    const many = Array.from({ length: 150 }, (_, index) => ({ name: `a${index}.xml`, content: "<a/>" }));
    expect(await refusalOf(docxFile(paragraph, { extra: [...many, { name: "word/z.xml", content: `${lol}<a/>` }] }), "docx")).toBe(
      "INPUT_TOO_COMPLEX",
    );
    const random = anyBytes(4000).toString("hex");
    expect(await refusalOf(docxFile(paragraph, { before: `<!--${random}-->${lol}` }), "docx")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(docxFile(paragraph, { before: `<!DOCTYPE d [<!ENTITY a "]><b"><!--${random}-->${lol}` }), "docx")).toBe(
      "INPUT_TOO_COMPLEX",
    );
    expect(await refusalOf(docxFile(`${paragraph}<!--${random}-->`, { before: "<!-- > ' -->" }), "docx")).toBe("accepted");
  });

  it("that expand beyond their stated size are rejected, unlike honest large ones", async () => {
    const content = Buffer.alloc(1_000_000, "a");
    const bomb = (statedBytes?: number) =>
      docxFile(paragraph, {
        extra: [
          { name: "word/media/a.bin", content: anyBytes(100_000) },
          { name: "word/big.bin", content, ...(statedBytes === undefined ? {} : { statedBytes }) },
        ],
      });
    expect(await refusalOf(bomb(1000), "docx")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(bomb(), "docx")).toBe("accepted");
    const small = (statedBytes: number) => [
      { name: "word/media/a.bin", content: anyBytes(100_000) },
      { name: "word/small.bin", content: content.subarray(0, 100_000), statedBytes },
    ];
    expect(await refusalOf(docxFile(paragraph, { extra: small(99_999) }), "docx")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(docxFile(paragraph, { extra: small(100_000) }), "docx")).toBe("accepted");
  });

  it("with a symlink are rejected as documents", async () => {
    const extra = [{ name: "word/media/a.png", content: "/etc/hostname", isLink: true }];
    expect(await refusalOf(docxFile(paragraph, { extra }), "docx")).toBe("INVALID_INPUT");
  });

  it("with a symlink are accepted as archives, since the engine checks its target", async () => {
    expect(
      await refusalOf(
        zipFile([
          { name: "a", content: "x" },
          { name: "b", content: "a", isLink: true },
        ]),
        "zip",
      ),
    ).toBe("accepted");
  });
});

describe("packages with false sizes", () => {
  const zeros = Buffer.alloc(1_000_000);
  const lie = { content: zeros, repeat: 200, statedBytes: 10 };

  it.each(["docx", "zip", "cbz", "epub", "odt", "jar"])("are measured while they are decompressed: %s", async (format) => {
    expect(await refusalOf(docxFile(paragraph, { extra: [{ name: "a.bin", ...lie }] }), format)).toBe("INPUT_TOO_COMPLEX");
  });

  it("are detected even if the stated compressed length ends before the excess", async () => {
    const bytes = zipFile([{ name: "a.bin", ...lie }]);
    const record = bytes.lastIndexOf("PK\x01\x02", undefined, "latin1");
    for (const at of [18, record + 20]) bytes.writeUInt32LE(30, at);
    expect(await refusalOf(bytes, "zip")).toBe("INPUT_TOO_COMPLEX");
  });

  it("are rejected as archives however small the excess, which a reader would silently drop", async () => {
    const small = (statedBytes: number): Buffer => zipFile([{ name: "a.txt", content: "b".repeat(5000), statedBytes }]);
    expect(await refusalOf(small(5000), "zip")).toBe("accepted");
    expect(await refusalOf(small(4999), "zip")).toBe("INVALID_INPUT");
  });

  it("are not confused with honest ones", async () => {
    const parts = Array.from({ length: 20 }, (_, index) => ({ name: `${index}.bin`, content: anyBytes(10_000) }));
    expect(await refusalOf(zipFile(parts), "zip")).toBe("accepted");
    expect(await refusalOf(docxFile(paragraph, { extra: parts }), "docx")).toBe("accepted");
  });

  it("are rejected as documents if compressed with another method", async () => {
    const bytes = docxFile(paragraph);
    const record = bytes.indexOf("PK\x01\x02", 0, "latin1");
    bytes.writeUInt16LE(14, record + 10);
    expect(await refusalOf(bytes, "docx")).toBe("INVALID_INPUT");
  });
});

describe("nested packages", () => {
  const nested = (depth: number): Buffer => {
    let inner = docxFile(paragraph);
    for (let level = 0; level < depth; level++)
      inner = docxFile(paragraph, { extra: [{ name: `word/embeddings/a.docx`, content: inner }] });
    return inner;
  };
  const embedded = (content: Buffer, more: object = {}) =>
    docxFile(paragraph, { extra: [{ name: "word/embeddings/a.xlsx", content, ...more }] });

  it("are accepted to the depth of embedded documents and no deeper", async () => {
    expect(await refusalOf(nested(3), "docx")).toBe("accepted");
    expect(await refusalOf(nested(4), "docx")).toBe("INPUT_TOO_COMPLEX");
  });

  it("are accepted as archives at any depth, since nothing unpacks them", async () => {
    let inner = zipFile([{ name: "a", content: "x" }]);
    for (let level = 0; level < 20; level++) inner = zipFile([{ name: "a.zip", content: inner }]);
    expect(await refusalOf(inner, "zip")).toBe("accepted");
  });

  it.each([
    ["compressed", false],
    ["stored", true],
  ])("count together with the outer one: %s", async (_how, isStored) => {
    const bomb = zipFile([{ name: "a.xml", content: Buffer.alloc(1_000_000), repeat: 150 }]);
    expect(await refusalOf(embedded(bomb, { isStored }), "docx")).toBe("INPUT_TOO_COMPLEX");
    const lie = zipFile([{ name: "a.xml", content: Buffer.alloc(1_000_000), repeat: 150, statedBytes: 10 }]);
    expect(await refusalOf(embedded(lie, { isStored }), "docx")).toBe("INPUT_TOO_COMPLEX");
    const overlapping = zipFile([
      { name: "a", content: "x" },
      { name: "b", content: "", overlaps: true },
    ]);
    expect(await refusalOf(embedded(overlapping, { isStored }), "docx")).toBe("INPUT_TOO_COMPLEX");
  });

  it("that compress well again are bombs, without a look inside", async () => {
    const wide = zipFile([{ name: "a.bin", content: Buffer.alloc(130_000_000), isStored: true }]);
    expect(await refusalOf(embedded(wide), "docx")).toBe("INPUT_TOO_COMPLEX");
  });

  it("that barely compress but are too long to inspect are rejected if compressed", async () => {
    const long = zipFile([{ name: "a.bin", content: anyBytes(2_000_000), isStored: true }]);
    const inner = (statedBytes: number) => embedded(long, { statedBytes });
    expect(await refusalOf(inner(130_000_000), "docx")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(inner(long.length), "docx")).toBe("accepted");
  });

  it("that are damaged are left to the engine that opens them", async () => {
    expect(await refusalOf(embedded(docxFile(paragraph).subarray(0, -40)), "docx")).toBe("accepted");
  });
});
