import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startServer } from "#test/harness/server.ts";
import { openWarmOffice } from "./bare-engines.ts";
import { compare, report } from "./measure.ts";
import { convert } from "./rest-client.ts";

const paragraphs = 120;

/** About ten pages with headings, a table and lists, written by pandoc. */
export async function makeDocument(folder: string): Promise<string> {
  const words = "It is one thing to list a conversion and another to have done it, looked at the result and found it whole. ".repeat(4);
  const text = Array.from({ length: paragraphs }, (_, index) =>
    index % 10 === 0 ? `# Chapter ${index / 10 + 1}\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n` : `${words}\n\n`,
  );
  await writeFile(join(folder, "in.md"), text.join(""));
  await promisify(execFile)("pandoc", [join(folder, "in.md"), "-o", join(folder, "in.docx")]);
  return join(folder, "in.docx");
}

export async function benchDocument(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-bench-"));
  try {
    await using office = await openWarmOffice(folder);
    const source = await makeDocument(folder);
    const bytes = await readFile(source);
    await using server = await startServer({ LOG_LEVEL: "warn", OFFICE_SLOTS: "1" });
    const ours = async (): Promise<void> => {
      const { status } = await convert(server, { to: "pdf", name: "in.docx", query: "?download=1" }, bytes);
      if (status !== 200) throw new Error(`status ${status}`);
    };
    const bare = (): Promise<unknown> => office.convert(source, join(folder, "out.pdf"), "writer_pdf_Export");
    await compare(3, ours, bare);
    return [report("ten pages, DOCX to PDF / a warm LibreOffice driven directly", await compare(25, ours, bare), "1.3")];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
