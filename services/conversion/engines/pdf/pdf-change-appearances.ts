/**
 * Draws form fields that leave drawing to viewers, with MuPDF: before they become part of the page, where a value that nobody drew is lost.
 * qpdf, which flattens, draws one line of Latin letters only.
 */
import { writeFile } from "node:fs/promises";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { inputInside, openToolSession } from "../shared/tool-run.ts";

/**
 * In ECMAScript 5. A field is drawn when its value changes. `getOptions` ends the program, hence `shownValue`. MuPDF 1.21 damages empty
 * streams if it encrypts them.
 */
const script = `
var pdf = new PDFDocument(scriptArgs[0]);
var form = pdf.getTrailer().Root.AcroForm;
var isUndrawn = form && form.NeedAppearances && form.NeedAppearances.asBoolean();
function inherited(field, name) {
  for (var depth = 0; field && depth < 50; ++depth) {
    if (field[name]) return field[name];
    field = field.Parent;
  }
}
function isPassword(field) {
  var flags = inherited(field, "Ff");
  return flags && (flags.asNumber() & 8192) !== 0;
}
function shownValue(field, value) {
  var options = inherited(field, "Opt");
  for (var at = 0; options && at < options.length; ++at)
    if (options[at].isArray() && options[at].length > 1 && options[at][0].asString() === value) return options[at][1].asString();
  return value;
}
for (var number = 0; number < pdf.countPages(); ++number) {
  var fields = [], annotations = pdf.findPage(number).Annots;
  for (var at = 0; annotations && at < annotations.length; ++at)
    if (annotations[at].Subtype.asName() === "Widget") fields.push(annotations[at]);
  pdf.loadPage(number).getWidgets().forEach(function (widget, at) {
    var value = widget.getValue(), kind = widget.getFieldType();
    if (!value || !fields[at] || (fields[at].AP && !isUndrawn)) return;
    if (kind === "text" && !isPassword(fields[at])) {
      widget.setTextValue("");
      widget.setTextValue(value);
    } else if (kind === "combobox" || kind === "listbox") widget.setChoiceValue(shownValue(fields[at], value));
    else return;
    widget.update();
  });
}
if (isUndrawn) form.delete("NeedAppearances");
pdf.save(scriptArgs[1], "decrypt");
`;

/** False if MuPDF cannot, in which case the fields stay as they are. */
export async function drawFields(sandbox: Sandbox, task: HopTask): Promise<boolean> {
  await using session = await openToolSession(sandbox, task);
  await writeFile(session.pathOf("draw.js"), script, { flag: "wx", mode: 0o644 });
  const end = await session
    .run({ program: "/usr/bin/mutool", args: ["run", "/job/draw.js", inputInside, "/job/out.pdf"] })
    .catch(() => undefined);
  if (end?.exitCode !== 0) return false;
  return await session.adopt("out.pdf").then(
    () => true,
    () => false,
  );
}
