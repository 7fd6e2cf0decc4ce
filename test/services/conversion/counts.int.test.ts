import { readFile } from "node:fs/promises";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { Job } from "#gen/filemill/job/v1/job_pb.ts";
import { book } from "#test/contract/notes/document-occurrences.ts";
import { opened } from "#test/harness/opened.ts";
import { openMill } from "./mill.ts";

/** A page of tables, each with a sentence in its foot. */
function footed(sentences: number): Buffer {
  const foot = (index: number) => `<tfoot><tr><td>Foot sentence ${index} of the quokka.</td></tr></tfoot>`;
  const tables = Array.from({ length: sentences }, (_, index) => `<p><table><tr><td>x</td></tr>${foot(index)}</table></p>`);
  return Buffer.from(`<!doctype html><meta charset="utf-8"><p>One sentence.</p>${tables.join("")}`);
}

describe("an engine that silently leaves something out", () => {
  const mill = opened(() => openMill({ DOCUMENT_SLOTS: 1, OFFICE_SLOTS: 1 }));

  const resultOf = ({ result }: Job) => readFile(mill.blobs.pathOf(result?.id ?? ""));

  it("is replaced: Pandoc omits the feet of tables of a web page", async () => {
    const { plan } = await mill.catalogue.planRoute({ from: "html", to: "odt" });
    expect(plan?.hops.map(({ engine }) => engine)).toEqual(["pandoc"]);
    const job = await mill.watch(await mill.submit(footed(20), { from: "html", to: "odt" }));
    expect(job.error).toBeUndefined();
    expect(job.notes.map(({ code }) => code)).toContain("ALTERNATE_ROUTE");
    const text = strFromU8(unzipSync(await resultOf(job))["content.xml"] ?? new Uint8Array());
    expect(text.match(/Foot sentence \d+ of the quokka\./g)).toHaveLength(20);
  });

  it("is not replaced if a note says what is left out", async () => {
    const job = await mill.watch(await mill.submit(book, { from: "fods", to: "csv" }));
    expect(job.notes.map(({ code }) => code)).toEqual(["SHEETS_LEFT_OUT"]);
    expect(String(await resultOf(job)).trim()).toBe("One");
  });
});
