/** LibreOffice in a sandbox without sockets: the worker runs inside it. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { openCanaries } from "#test/attacks/canaries.ts";
import { leakOf } from "#test/attacks/leak.ts";
import { officeAttacks } from "#test/attacks/office-attacks.ts";
import { useBench } from "#test/contract/engine.ts";
import { readingOf } from "#test/contract/readers.ts";
import { docx, line, text } from "#test/contract/word-file.ts";
import { cloneIsOpen } from "#test/harness/clone.ts";
import { isRoot } from "#test/services/conversion/sandbox/host.ts";

const typical = join(import.meta.dirname, "../../../../corpus/typical");
const commented = docx(
  line("Quokka")
    .replace("<w:r>", '<w:commentRangeStart w:id="0"/><w:r>')
    .replace("</w:p>", '<w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r></w:p>'),
  "",
  `<w:comment w:id="0" w:author="Ada" w:date="2024-01-01T00:00:00Z"><w:p><w:r>${text("A remark")}</w:r></w:p></w:comment>`,
);

describe.skipIf(isRoot && !cloneIsOpen)("LibreOffice in the degraded sandbox", () => {
  const bench = useBench(libreofficeEngine, 1, "degraded");

  const written = async (name: string, content: Uint8Array | string): Promise<string> => {
    await writeFile(join(bench.folder, name), content);
    return join(bench.folder, name);
  };

  it("converts documents, sheets, slides, tables and text in sequence", async () => {
    expect(bench.sandbox.mode).toBe("degraded");
    const convert = async (path: string, from: string, to: string) => (await bench.convert(path, from, to)).path;
    expect(await readingOf(await convert(join(typical, "document/typical.docx"), "docx", "pdf"))).toMatchObject({
      mime: "application/pdf",
    });
    expect(await readFile(await convert(join(typical, "spreadsheet/typical.xlsx"), "xlsx", "csv"), "utf8")).toContain("Quokka");
    expect(await readFile(await convert(join(typical, "presentation/typical.pptx"), "pptx", "html"), "utf8")).toContain("data:image/");
    const table = await convert(await written("a.csv", "Quokka,Count\nÜnïcødé,1\n"), "csv", "xlsx");
    expect(await readFile(await convert(table, "xlsx", "csv"), "utf8")).toBe("Quokka,Count\nÜnïcødé,1\n");
    expect(await readingOf(await convert(await written("a.txt", "Quokka Ünïcødé\n"), "txt", "pdf"))).toMatchObject({ pages: 1 });
  });

  it("converts a document with comments", async () => {
    const { path } = await bench.convert(await written("commented.docx", commented), "docx", "pdf");
    expect(await readingOf(path)).toMatchObject({ mime: "application/pdf", pages: 1 });
  });

  it("rejects a damaged file and continues with the next one", async () => {
    await expect(bench.convert(await written("broken.docx", "not a package"), "docx", "pdf")).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    const { path } = await bench.convert(await written("b.txt", "Quokka\n"), "txt", "odt");
    expect(await readingOf(path)).toMatchObject({ mime: "application/vnd.oasis.opendocument.text" });
  });

  it("does not read, write or fetch anything that a document refers to", async () => {
    await using canaries = await openCanaries();
    const attacks = officeAttacks.filter(
      ({ engine, outcome, query }) => engine === "libreoffice" && outcome === "converts" && query === undefined,
    );
    expect(attacks.length).toBeGreaterThan(8);
    for (const { fileName, content, to } of attacks) {
      const from = fileName.slice(fileName.lastIndexOf(".") + 1);
      const source = await written(fileName, content(canaries.aim));
      for (const target of to.filter((format) => libreofficeEngine.hops.some((hop) => hop.from === from && hop.to === format))) {
        const { path } = await bench.convert(source, from, target);
        expect(await leakOf(await readFile(path), target, canaries.secret)).toBeUndefined();
      }
    }
    expect([canaries.hits, await canaries.written()]).toEqual([[], []]);
  });
});
