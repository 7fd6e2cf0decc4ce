/** Messages, mailboxes, calendars and contacts, by npm libraries in a sandboxed worker. */
import type { Fidelity, Hop } from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import { crossHops, words } from "../shared/hop-table.ts";
import { encodingOption, workerEngine } from "../shared/node-worker.ts";
import { integerIn } from "../shared/options.ts";
import { delimiter } from "../shared/table-options.ts";

const mail = {
  work: "mail",
  packages: words("postal-mime @kenjiuno/decompressrtf @kenjiuno/msgreader nodemailer html-to-text sanitize-html fflate ical.js"),
};
/** What workbooks load, with the other formats of several tables. */
const tables = words("@e965/xlsx @bufbuild/protobuf avsc hyparquet hyparquet-compressors hyparquet-writer mdb-reader");
const shared = [...words("yaml jsonc-parser json5 fast-xml-parser papaparse chardet"), ...tables];
const worker = { work: mail.work, packages: [...mail.packages, ...shared] };

const records = words("json ndjson yaml xml csv tsv xlsx");

const message = integerIn("message", [1, 20_000], "Number of the message in the mailbox, from 1", { default: 1 });

function mailHop(from: string, to: string): Omit<Hop, "from" | "to"> {
  return {
    fidelity: mailFidelityOf(from, to),
    cost: 60,
    maxInputMb: 50,
    options: from === "mbox" && to === "eml" ? [message] : [],
    expects: mailExpectations(from, to),
  };
}

function mailExpectations(from: string, to: string) {
  const holdsFiles = to === "eml" || to === "mbox" || to === "zip";
  const isPage = to === "html" || to === "zip";
  const isDecoded = from !== "msg" && to !== "eml" && to !== "mbox";
  const fields = "Headers that have no place in the result, such as replies' references, are left out.";
  const ofItems = "The fields of items that are no messages are left out.";
  const damaged = "Bytes that are no characters in a text's encoding are replaced.";
  const ofPage = "Style sheets, and styles that load something, are left out.";
  const ofMsg = "A body in rich text that contains no page becomes plain text.";
  const styling = [...(isPage ? [ofPage] : []), ...(from === "msg" || isDecoded ? [ofMsg] : [])].join(" ");
  return [
    ...expectingAll(
      from === "mbox" && to === "eml" && "MESSAGES_LEFT_OUT",
      isPage && "IMAGES_REMOVED",
      (isDecoded || from === "msg") && "ENCODING_GUESSED",
      to === "xml" && "CHARACTERS_REPLACED",
    ),
    ...(isDecoded && to !== "xml" ? [expecting("CHARACTERS_REPLACED", { message: damaged, isOfSource: true })] : []),
    ...(holdsFiles ? [] : [expecting("ENTRIES_LEFT_OUT", "Attachments are left out.")]),
    ...(styling === "" ? [] : [expecting("STYLING_DROPPED", styling)]),
    ...(isDecoded || from === "msg" ? [expecting("METADATA_DROPPED", from === "msg" ? `${fields} ${ofItems}` : fields)] : []),
    ...(to === "zip" ? [expecting("NAMES_CHANGED", "Names of attachments that a folder cannot hold are changed.")] : []),
  ];
}

/** Dates become text in records without a date type. */
function cardExpectations(from: string, to: string) {
  const isTable = from === "csv" || from === "tsv" || from === "xlsx";
  const isTree = to === "json" || to === "ndjson" || to === "yaml" || to === "xml";
  const holdsCells = to === "csv" || to === "tsv" || to === "xlsx";
  const told = to === "vcf" ? toCards : from === "vcf" ? ofCards : ofCalendars;
  return [
    ...expectingAll(
      from !== "xlsx" && "ENCODING_GUESSED",
      from === "csv" && "DIALECT_GUESSED",
      from === "xlsx" && "SHEETS_LEFT_OUT",
      isTable && "NAMES_CHANGED",
    ),
    ...expectingAll(
      ((isTree && to !== "xml") || to === "xlsx") && "TYPES_AS_TEXT",
      (to === "xml" || to === "xlsx") && "CHARACTERS_REPLACED",
    ),
    ...told,
    ...(from === "json"
      ? [
          expecting("STRUCTURE_FLATTENED", "Lists and maps become a single text."),
          expecting("DIALECT_GUESSED", { message: "Several values, one after another, are read as a list.", isOfSource: true }),
        ]
      : []),
    ...(from === "ics" && holdsCells ? [expecting("STRUCTURE_FLATTENED", "Several values in one cell are joined with semicolons.")] : []),
    ...(from === "ics" && to === "xml" ? [expecting("STRUCTURE_FLATTENED", "Lists of one value become single elements.")] : []),
    ...(from === "vcf" && !isTree ? [expecting("IMAGES_REMOVED", "Photos of contacts are left out.")] : []),
  ];
}

const ofCalendars = [
  expecting("METADATA_DROPPED", "Properties of the calendar itself and parameters of values are left out."),
  expecting("INPUT_DAMAGED", "Lines that are no properties are left out."),
  expecting("ENTRIES_LEFT_OUT", "Only events, tasks, notes and busy times are converted."),
];
const ofCards = [
  expecting("METADATA_DROPPED", "Parameters of values are left out."),
  expecting("STRUCTURE_FLATTENED", "The parts of addresses and organisations, and several values in one cell, are joined."),
  expecting("ENTRIES_LEFT_OUT", "Anything that is not a contact, or is nested inside one, is left out."),
];
const toCards = [
  expecting("METADATA_DROPPED", "Columns that contacts have no field for are left out."),
  expecting("ENTRIES_LEFT_OUT", "Rows without a name or an address are left out."),
  expecting("CHARACTERS_REPLACED", "Control characters, which contacts cannot hold, are replaced."),
];

/** Headers that pages do not show are left out, and so are attachments unless the target holds files. */
function mailFidelityOf(from: string, to: string): Fidelity {
  if (to === "zip") return from === "mbox" ? "high" : "reduced";
  if (to === "mbox" || (from === "mbox" && to === "eml")) return from === "msg" ? "reduced" : "high";
  return to === "txt" ? "extract" : "reduced";
}

function cardHop(from: string, to: string): Omit<Hop, "from" | "to"> {
  const isText = from !== "xlsx";
  return {
    fidelity: to === "txt" ? "extract" : "reduced",
    cost: 40,
    maxInputMb: 30,
    options: [...(isText ? [encodingOption] : []), ...(from === "csv" ? [delimiter] : [])],
    expects: cardExpectations(from, to),
  };
}

/** The page itself, with what it shows inside it. */
const savedPage: Omit<Hop, "from" | "to"> = {
  ...{ fidelity: "high", cost: 60, maxInputMb: 50, options: [] },
  expects: [
    ...expectingAll("ENCODING_GUESSED"),
    expecting("CHARACTERS_REPLACED", { message: "Bytes that are no characters in a text's encoding are replaced.", isOfSource: true }),
    expecting("ENTRIES_LEFT_OUT", "Saved files that the page does not show are left out."),
  ],
};

const hops: readonly Hop[] = [
  ...crossHops(words("eml msg mbox"), [...words("html txt eml mbox zip"), ...records], mailHop),
  ...crossHops(words("ics vcf"), [...words("html txt"), ...records], cardHop),
  ...crossHops(words("csv tsv json xlsx"), ["vcf"], cardHop),
  ...crossHops(["mhtml"], ["html"], () => savedPage),
];

export const mailEngine = workerEngine(worker, {
  id: "mail",
  label: "Filemill mail",
  lane: "document",
  hops,
});
