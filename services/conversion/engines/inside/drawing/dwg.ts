/** Converts DWG to DXF, the equivalent text format, with acad-ts. */
import { type CadDocument, DwgReader, DxfWriter, FieldList, type NotificationEventHandler } from "@node-projects/acad-ts";
import type { Notes, Question } from "../exchange.ts";
import { inexpressible, invalid } from "../failure.ts";

/** The library's messages about objects that it does not know or could not read, by their DXF names. */
const notRead = /^Could not read (\w+)|DXF name (\S+) has been read as an UnknownEntity/;
/** The axes of a viewport's own coordinates, of which the library writes only the first numbers: programs refuse the whole drawing. */
const halfAxes = /^ *110\r?\n.*\n *111\r?\n.*\n *112\r?\n.*\n/gm;
const notWritten = /^(?:Entity not implemented|Invalid entity):? (\w+)/;

export function convertDrawing(bytes: Buffer, _question: Question, notes: Notes): string {
  // The oldest drawings mark their version differently.
  if (/^AC10(?:0\d|12)/.test(bytes.toString("latin1", 0, 6)))
    throw inexpressible("The drawing was saved by AutoCAD R13 or older; only R14 and newer can be read.");
  if (isCutOff(bytes)) throw invalid("The drawing is cut off.");
  const left = new Map<string, number>();
  const leave = (name: string | undefined) => name !== undefined && left.set(name, (left.get(name) ?? 0) + 1);
  const whileReading: NotificationEventHandler = (_, { message }) => {
    const found = notRead.exec(message);
    const name = found?.[1] ?? found?.[2];
    leave(name !== undefined && /^\d+$/.test(name) ? "unnamed" : name);
  };
  const whileWriting: NotificationEventHandler = (_, { message }) => {
    const name = notWritten.exec(message)?.[1];
    if (name !== "UnknownEntity") leave(name);
  };
  const document = read(bytes, whileReading);
  adoptFields(document);
  const parts: string[] = [];
  DxfWriter.writeToStream({ write: (text: string) => void parts.push(text) }, document, false, undefined, whileWriting);
  if (left.size > 0) {
    const names = [...left].slice(0, 5).map(([name, count]) => (count === 1 ? name : `${name} (${count})`));
    notes.set("DRAWINGS_LEFT_OUT", `Objects of kinds that cannot be read or written were left out: ${names.join(", ").slice(0, 160)}.`);
  }
  return parts.join("").replace(halfAxes, "");
}

function read(bytes: Buffer, notify: NotificationEventHandler): CadDocument {
  try {
    return DwgReader.readFromStream(Uint8Array.from(bytes).buffer, notify);
  } catch (error) {
    if (error instanceof RangeError && /call stack/.test(error.message)) throw error;
    throw invalid("The drawing is damaged or is not DWG.");
  }
}

/** The library's writer needs an owner for each field, and its reader does not give one to all. */
function adoptFields({ rootDictionary }: CadDocument): void {
  for (const entry of rootDictionary ?? []) {
    if (!(entry instanceof FieldList)) continue;
    for (const field of entry.fields) field.owner ??= entry;
  }
}

/**
 * Whether a section of R14 or 2000 extends past the end of the file: the library would search for its end forever. Newer
 * versions put a table at the end of the file and read it first. @see Open Design Specification for .dwg files, 3.2
 */
function isCutOff(bytes: Buffer): boolean {
  if (!/^AC101[45]/.test(bytes.toString("latin1", 0, 6))) return false;
  const [first, size] = [25, 9];
  if (bytes.length < first) return true;
  const count = bytes.readUInt32LE(first - 4);
  if (count > 100 || first + count * size > bytes.length) return true;
  const places = Array.from({ length: count }, (_, place) => first + place * size);
  return places.some((at) => bytes.readUInt32LE(at + 1) + bytes.readUInt32LE(at + 5) > bytes.length);
}
