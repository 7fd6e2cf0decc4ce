/** Joins documents, pictures and PDFs to one PDF with pikepdf (qpdf), including every page, link, bookmark, form field and layer. */
import { join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type FileRef } from "#services/conversion/domain/engine.ts";
import { saysBadInput, throwIfFailed } from "../shared/bad-input.ts";
import { versionLineOf } from "../shared/tool-run.ts";
import { bound, type Entry, type Joining, joinEngineOf, named } from "./join.ts";
import { withPictures } from "./join-pictures.ts";

const program = "/usr/bin/python3";
const script = "/engine/join-pdf.py";
const scripts = {
  [join(import.meta.dirname, "join-pdf.py")]: script,
  [join(import.meta.dirname, "../pdf/pdf-change-prune.py")]: "/engine/pdf_prune.py",
};
const badInput = [3];

/** What the script prints for each file. */
type Said = { readonly failed?: "locked" | "damaged"; readonly remarks?: readonly string[] };

async function joinPdf({ session, entries, convert, remark }: Joining): Promise<void> {
  const parts: FileRef[] = [];
  for (const entry of entries) parts.push(await convert(entry, "pdf"));
  const { paths, readOnly } = bound(parts);
  const lines: string[] = [];
  const end = await session.run({
    program,
    args: ["-I", script, "/job/out", ...paths],
    readOnly: { ...readOnly, ...scripts },
    onLine: (line) => void lines.push(line),
  });
  if (end.exitCode === 0 || saysBadInput(end, badInput)) {
    for (const [index, entry] of entries.slice(0, lines.length).entries()) {
      const { failed, remarks = [] }: Said = JSON.parse(lines[index] ?? "");
      if (failed !== undefined) throw failureOf(entry, failed);
      for (const each of remarks) remark(entry, each);
    }
  }
  throwIfFailed(end, badInput, "One of the files is damaged.");
}

function failureOf({ name }: Entry, failed: Said["failed"]): FilemillError {
  if (failed === "damaged") return named(name, new FilemillError("INVALID_INPUT", "The file is damaged."));
  return named(name, new FilemillError("PASSWORD_REQUIRED", "The file is protected by a password; remove the password and try again."));
}

export const joinPdfEngine = defineEngine(
  joinEngineOf({
    id: "join-pdf",
    label: "pikepdf (qpdf), joining files",
    lane: "document",
    packages: ["libarchive-tools", "python3-pikepdf", "pandoc"],
    // Cheaper than printing a zipped page, so it is chosen first; it hands such pages over to that engine.
    targets: { pdf: { fidelity: "high", cost: 250 } },
    badInput,
    prepare: withPictures,
    async probe(sandbox) {
      return await versionLineOf(sandbox, program, ["-I", "-c", "import pikepdf; print(pikepdf.__version__)"]);
    },
    join: joinPdf,
  }),
);
