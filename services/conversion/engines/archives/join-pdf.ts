/** Joins documents, pictures and PDFs to one PDF with MuPDF, including every page, link and bookmark. */
import { join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import type { FileRef } from "#services/conversion/domain/engine.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { probeInOutput } from "../shared/tool-run.ts";
import { bound, type Entry, type Joining, joinEngineOf, named } from "./join.ts";
import { withPictures } from "./join-pictures.ts";

const program = "/usr/bin/mutool";
const script = join(import.meta.dirname, "join-pdf-facts.mujs");
const scriptInside = "/engine/facts.js";
const badInput = [/cannot (?:recognize|find|load|open|parse)|no objects found|syntax error|damaged/i];
const damaged = "One of the files is damaged.";

/** What belongs to a document as a whole rather than to its pages. */
const lost: Readonly<Record<string, string>> = {
  AcroForm: "Form fields keep their values but can no longer be filled in.",
  OCProperties: "Layers can no longer be toggled.",
  StructTreeRoot: "The structure for screen readers is left out.",
  PageLabels: "Pages are numbered from 1.",
};

type Facts = { readonly pages: number; readonly has: readonly string[] } | "locked";

async function joinPdf(joining: Joining): Promise<void> {
  const { session, entries, convert, remark } = joining;
  const parts: FileRef[] = [];
  for (const entry of entries) parts.push(await convert(entry, "pdf"));
  const { paths, readOnly } = bound(parts);
  const known = await factsOf(joining, paths, readOnly);
  for (const [index, entry] of entries.entries()) {
    for (const name of openedOf(entry, known[index]).has) if (lost[name] !== undefined) remark(entry, lost[name]);
  }
  const args = ["merge", "-o", "/job/out.pdf", "-O", "compress,garbage=compact", ...paths];
  throwIfFailed(await session.run({ program, args, readOnly }), badInput, damaged);
  const [made] = await factsOf(joining, ["/job/out.pdf"], {});
  const wanted = known.reduce((sum, facts) => sum + (facts === "locked" ? 0 : facts.pages), 0);
  if (made === undefined || made === "locked" || made.pages !== wanted) {
    throw new FilemillError("CONVERSION_FAILED", "Not every page could be joined.");
  }
  await session.run({ program: "/bin/mv", args: ["/job/out.pdf", "/job/out"] });
}

async function factsOf(
  { session }: Joining,
  paths: readonly string[],
  readOnly: Readonly<Record<string, string>>,
): Promise<readonly Facts[]> {
  const facts: Facts[] = [];
  const end = await session.run({
    program,
    args: ["run", scriptInside, ...paths],
    readOnly: { ...readOnly, [script]: scriptInside },
    onLine(line) {
      const [, index, pages, has = ""] = /^(\d{1,4}) (\d{1,9}|locked) ?([A-Za-z,]{0,200})$/.exec(line) ?? [];
      if (pages !== undefined && Number(index) === facts.length)
        facts.push(pages === "locked" ? pages : { pages: Number(pages), has: has.split(",") });
    },
  });
  throwIfFailed(end, badInput, damaged);
  return facts;
}

function openedOf({ name }: Entry, facts: Facts | undefined): Exclude<Facts, "locked"> {
  if (facts === "locked")
    throw named(name, new FilemillError("PASSWORD_REQUIRED", "The file is protected by a password; remove the password and try again."));
  if (facts === undefined || facts.pages === 0) throw named(name, new FilemillError("INVALID_INPUT", "The file is damaged."));
  return facts;
}

export const joinPdfEngine = joinEngineOf({
  id: "join-pdf",
  label: "MuPDF, joining files",
  lane: "document",
  packages: ["libarchive-tools", "mupdf-tools", "pandoc"],
  // Cheaper than printing a zipped page, so it is chosen first; it hands such pages over to that engine.
  targets: { pdf: { fidelity: "high", cost: 250 } },
  badInput,
  prepare: withPictures,
  probe: probeInOutput(program, ["-v"], /mutool version (\d[\d.]*)/),
  join: joinPdf,
});
