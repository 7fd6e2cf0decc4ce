/** Calendars and contacts to records, pages and text, and records to contacts. */
import { isUtf8 } from "node:buffer";
import { type Converted, type Notes, noteAlso, type Question, textOption } from "../exchange.ts";
import { invalid } from "../failure.ts";
import { readRecords, writeRecords } from "../records/convert.ts";
import { type Entries, firstOf, plainTextOf, type Value } from "../records/values.ts";
import { decodeText } from "../text-decoding.ts";
import { eventsOf } from "./calendar.ts";
import { contactOf } from "./contacts.ts";
import { modernised, withoutFolds } from "./content-lines.ts";
import { escapeHtml, pageOf } from "./html.ts";
import { componentsOf, type Dropped } from "./jcal.ts";
import { cardsIn } from "./vcard.ts";
import { cardsOf } from "./vcard-writing.ts";

const tables = new Set(["csv", "tsv", "xlsx"]);
/** Targets for human readers, or with cells of limited size. */
const withoutMedia = new Set([...tables, "html", "txt"]);

export async function convertCards(bytes: Buffer, question: Question, notes: Notes): Promise<Converted> {
  const { from, to, options } = question;
  if (to === "vcf") return cardsOf(await readRecords(bytes, question, notes), notes);
  const text = decodeText(withoutFolds(bytes), textOption(options, "encoding") ?? "auto", notes, declaredIn(bytes));
  const dropped: Dropped = new Set();
  const records = from === "ics" ? entriesOf(text, notes, dropped) : contactsOf(text, to, notes, dropped);
  if (records.length === 0) throw invalid(from === "ics" ? "The calendar contains no entries." : "The file contains no contacts.");
  if (dropped.size > 0) notes.set("METADATA_DROPPED", `Left out, because records have no field for them: ${firstOf([...dropped], 6)}.`);
  if (to === "html") return pageOf(from === "ics" ? "Calendar" : "Contacts", records.map(sectionOf).join("\n<hr>\n"));
  if (to === "txt")
    return records
      .map((record) =>
        linesOf(record)
          .map(([name, value]) => `${name}: ${value}\n`)
          .join(""),
      )
      .join("\n");
  return await writeRecords(tables.has(to) ? rowsOf(records, notes) : [...records], question, notes);
}

/** The encoding that all raw values of an old file declare, if its bytes are valid in it and are not Unicode. */
function declaredIn(bytes: Buffer): string | undefined {
  const labels = new Set([...bytes.toString("latin1").matchAll(/;CHARSET=([\w.-]+)[;:]/gi)].map(([, label = ""]) => label.toLowerCase()));
  const [label = "utf-8"] = labels;
  return labels.size === 1 && !isUtf8(bytes) && canDecode(bytes, label) ? label : undefined;
}

function canDecode(bytes: Buffer, label: string): boolean {
  try {
    new TextDecoder(label, { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function entriesOf(text: string, notes: Notes, dropped: Dropped): readonly Entries[] {
  return eventsOf(componentsOf(/^VERSION:1\.0/im.test(text) ? modernised(text, notes) : text, notes), notes, dropped);
}

function contactsOf(text: string, to: string, notes: Notes, dropped: Dropped): readonly Entries[] {
  const { cards, others } = cardsIn(text, notes);
  if (others > 0) notes.set("ENTRIES_LEFT_OUT", `Anything that is not a contact, or is nested inside one, was left out: ${others}.`);
  return cards.map((card) => contactOf(card, !withoutMedia.has(to), notes, dropped));
}

/** Cells hold a single text each. */
function rowsOf(records: readonly Entries[], notes: Notes): Value {
  const joined = new Set<string>();
  const cellOf = (name: string, value: Value): Value => {
    if (!Array.isArray(value)) return value;
    if (value.length > 1 || value[0] instanceof Map) joined.add(name);
    return plainTextOf(value);
  };
  const rows = records.map((record) => new Map([...record].map(([name, value]) => [name, cellOf(name, value)])));
  if (joined.size > 0)
    noteAlso(notes, "STRUCTURE_FLATTENED", `Several values in one cell were joined with semicolons: ${firstOf([...joined])}.`);
  return rows;
}

function linesOf(record: Entries): readonly (readonly [string, string])[] {
  return [...record].map(([name, value]) => [`${name[0]?.toUpperCase()}${name.slice(1)}`, plainTextOf(value)]);
}

function sectionOf(record: Entries): string {
  const rows = linesOf(record).map(
    ([name, value]) =>
      `<tr><th align="left" valign="top">${escapeHtml(name)}</th><td style="white-space: pre-wrap">${escapeHtml(value).replaceAll("\n", "<br>")}</td></tr>`,
  );
  return `<table>\n${rows.join("\n")}\n</table>`;
}
